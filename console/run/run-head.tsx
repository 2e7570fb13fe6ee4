import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import type { Run } from "../../sdk/ts/index.ts";
import { client, queryClient } from "../data/client.ts";
import { allows, useSession } from "../data/session.ts";
import { isShared } from "../data/shared-link.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Copy } from "../ui/copy.tsx";
import { shortId } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Status } from "../ui/status.tsx";
import styles from "./run.module.css";
import { ShareDialog } from "./share-dialog.tsx";

/** Which run it is, and what can be done with it. */
export const RunHead = ({ run }: { run: Run }): ReactElement => (
  <header className={styles.head}>
    <h1 className={styles.id}>{run.id}</h1>
    <Copy text={run.id} label="Copy the run's id" />
    <Status status={run.status} />
    <span className="dim">
      {isShared ? (
        run.agent_id
      ) : (
        <Link to="/agents/$id" params={{ id: run.agent_id }}>
          {run.agent_id}
        </Link>
      )}{" "}
      <span className="num">{run.version}</span>
    </span>
    <span className="dim">
      attempt{" "}
      <span className="num">
        {run.attempt} / {run.max_attempts}
      </span>
    </span>
    {run.replay_of && !isShared && (
      <span className="dim">
        again of{" "}
        <Link to="/runs/$id" params={{ id: run.replay_of }} className="num" title={run.replay_of}>
          {shortId(run.replay_of)}
        </Link>{" "}
        <Link to="/runs/$id/vs/$other" params={{ id: run.replay_of, other: run.id }}>
          compare
        </Link>
      </span>
    )}
    {!isShared && <Actions run={run} />}
  </header>
);

function Actions({ run }: { run: Run }): ReactElement | null {
  const session = useSession();
  const navigate = useNavigate();
  const cancel = useMutation({
    mutationFn: () => client.runs.cancel(run.id),
    onSuccess: (ended) => queryClient.setQueryData(["run", run.id], ended),
  });
  const again = useMutation({
    mutationFn: () => client.runs.replay(run.id, {}),
    onSuccess: ({ id }) => navigate({ to: "/runs/$id", params: { id } }),
  });
  const [isSharing, setSharing] = useState(false);
  if (!session.data || !allows(session.data, "runs:write")) return null;
  // Without keys the address of this page is such a link already.
  const mayShare = session.data.auth_mode === "key" && allows(session.data, "users:write");
  const failure = cancel.error ?? again.error;
  return (
    <span className={styles.actions}>
      {failure && (
        <span role="alert" className="bad">
          {failure.message}
        </span>
      )}
      {mayShare && (
        <Button onClick={() => setSharing(true)} title="A link that reads this run only">
          Share…
        </Button>
      )}
      {isSharing && <ShareDialog run={run} onClose={() => setSharing(false)} />}
      <Button
        aria-keyshortcuts="r"
        onClick={() => again.mutate()}
        disabled={again.isPending}
        title="The same input and version (r)"
      >
        <Icon name="again" size={13} />
        Run again
      </Button>
      <Link
        to="/agents/$id/play"
        params={{ id: run.agent_id }}
        search={{ from: run.id, version: run.version }}
        className={buttonClass()}
        aria-keyshortcuts="e"
        title="With another input or version (e)"
      >
        Run again with…
      </Link>
      {run.completed_at === null && (
        <Button
          look="danger"
          aria-keyshortcuts="c"
          title="Cancel the run (c)"
          onClick={() => cancel.mutate()}
          disabled={cancel.isPending}
        >
          <Icon name="stop" size={12} />
          Cancel
        </Button>
      )}
    </span>
  );
}
