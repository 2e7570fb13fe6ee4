import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import type { BulkOperation, BulkPreview } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import type { RunsQuery } from "../data/runs-search.ts";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { formatCount } from "../ui/format.ts";
import { Failure, Loading } from "../ui/states.tsx";
import styles from "./bulk-dialog.module.css";

export type BulkAction = "cancel" | "replay";
/** `version`: the one that runs are run again on; left out: that of each. */
type Chosen = {
  action: BulkAction;
  which: { run_ids: string[] } | { filter: RunsQuery };
  version?: string | undefined;
};
type Props = Chosen & { onClose: (isDone: boolean) => void };

const words = { cancel: { title: "Cancel runs", act: "Cancel" }, replay: { title: "Run again", act: "Run again" } };

/** Counts the runs first. Who types the number starts the work, and may leave while it goes on. */
export function BulkDialog({ onClose, ...chosen }: Props): ReactElement {
  const preview = useQuery({
    queryKey: ["bulk-preview", chosen],
    queryFn: () => ask<BulkPreview>(chosen, true),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const start = useMutation({ mutationFn: () => ask<BulkOperation>(chosen, false) });
  return (
    <Dialog title={words[chosen.action].title} onClose={() => onClose(start.isSuccess)}>
      {preview.error && <Failure error={preview.error} />}
      {preview.isPending && <Loading what="Counting" />}
      {preview.data && !start.data && (
        <Confirm
          action={chosen.action}
          total={preview.data.total}
          more={preview.data.more}
          isPending={start.isPending}
          onConfirm={() => start.mutate()}
          onClose={() => onClose(false)}
        />
      )}
      {start.error && <Failure error={start.error} />}
      {start.data && <Progress first={start.data} onClose={() => onClose(true)} />}
    </Dialog>
  );
}

async function ask<T>({ action, which, version }: Chosen, preview: boolean): Promise<T> {
  const asked =
    action === "cancel"
      ? client.runs.bulkCancel({ ...which, preview })
      : client.runs.bulkReplay({ ...which, version, preview });
  return (await asked) as T;
}

type ConfirmProps = {
  action: BulkAction;
  total: number;
  /** True: older runs may match, too. */
  more: boolean;
  isPending: boolean;
  onConfirm: () => void;
  onClose: () => void;
};

function Confirm({ action, total, more, isPending, onConfirm, onClose }: ConfirmProps): ReactElement {
  const [typed, setTyped] = useState("");
  if (total === 0 && !more) return <p>None of these runs can be {action === "cancel" ? "cancelled" : "run again"}.</p>;
  const runs = total === 1 ? "run" : "runs";
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm();
      }}
    >
      <label className={styles.confirm}>
        <span>
          This {action === "cancel" ? "cancels" : "starts"} {more && "at least "}
          <b className="num">{formatCount(total)}</b> {runs}. Type <b className="num">{total}</b> to go on.
        </span>
        <input inputMode="numeric" autoComplete="off" value={typed} onChange={({ target }) => setTyped(target.value)} />
      </label>
      <DialogButtons>
        <Button onClick={onClose}>Leave it</Button>
        <Button
          type="submit"
          look={action === "cancel" ? "danger" : "primary"}
          disabled={typed.trim() !== String(total) || isPending}
        >
          {words[action].act} {formatCount(total)} {runs}
        </Button>
      </DialogButtons>
    </form>
  );
}

function Progress({ first, onClose }: { first: BulkOperation; onClose: () => void }): ReactElement {
  const { data = first, error } = useQuery({
    queryKey: ["bulk", first.id],
    queryFn: async () => {
      const operation = await client.runs.getBulkOperation(first.id);
      if (isOver(operation)) void renew(["runs"]);
      return operation;
    },
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : 500),
  });
  return (
    <>
      <p role="status">
        <span className="num">
          {formatCount(data.done)} of {formatCount(data.total)}
        </span>{" "}
        done{data.failed > 0 ? `, ${data.failed} failed` : ""}
        {isOver(data) ? "." : "…"}
      </p>
      {error && (
        <p role="alert" className="bad">
          How far it is can't be read: {error.message}
        </p>
      )}
      <progress className={styles.progress} max={Math.max(1, data.total)} value={data.done} aria-label="Done" />
      {data.action === "replay" && (
        <p>
          <Link to="/runs" search={{ bulk_id: data.id }} onClick={onClose}>
            The runs that it starts
          </Link>
        </p>
      )}
      <DialogButtons>
        <Button look="primary" onClick={onClose}>
          {isOver(data) ? "Close" : "Go on in the background"}
        </Button>
      </DialogButtons>
    </>
  );
}

const isOver = ({ status }: BulkOperation): boolean => status === "done" || status === "error";
