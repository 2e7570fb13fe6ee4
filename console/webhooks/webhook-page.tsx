import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import type { Webhook } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { AskDialog, ShownOnce } from "../ui/ask-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { FigureRow } from "../ui/figures.tsx";
import { formatCount } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Ago } from "../ui/time.tsx";
import { Deliveries } from "./deliveries.tsx";
import styles from "./webhooks.module.css";

/** One webhook: what was sent to it, and what became of that. */
export function WebhookPage(): ReactElement {
  const { id } = useParams({ from: "/webhooks/$id" });
  const query = useQuery({
    queryKey: ["webhook", id],
    queryFn: () => client.webhooks.get(id),
    refetchInterval: 10_000,
  });
  return (
    <Loaded query={query}>
      {(webhook) => (
        <Page title={<span className={styles.title}>{webhook.url}</span>} actions={<Actions webhook={webhook} />}>
          {webhook.disabled_reason && (
            <p role="status" className={styles.reason}>
              Disabled: {webhook.disabled_reason}
            </p>
          )}
          <FigureRow
            figures={[
              ["Status", webhook.status],
              ["Given up in a row", formatCount(webhook.failures)],
              ["Agents", webhook.agent_ids.join(", ") || "all"],
              ["Created", <Ago key="created" at={webhook.created_at} />],
              ["Events", webhook.events.join(", ")],
            ]}
          />
          <Deliveries webhook={webhook} />
        </Page>
      )}
    </Loaded>
  );
}

type Act = "test" | "pause" | "activate";

function Actions({ webhook }: { webhook: Webhook }): ReactElement {
  const { id, status } = webhook;
  const navigate = useNavigate();
  const [asking, setAsking] = useState<"rotate" | "delete" | null>(null);
  const act = useMutation({
    mutationFn: async (does: Act): Promise<unknown> =>
      does === "test"
        ? client.webhooks.test(id)
        : client.webhooks.update(id, { status: does === "pause" ? "paused" : "active" }),
    onSettled: () => Promise.all([renew(["webhook", id]), renew(["deliveries", id]), renew(["webhooks"])]),
  });
  const rotate = useMutation({ mutationFn: () => client.webhooks.rotateSecret(id) });
  const remove = useMutation({
    mutationFn: () => client.webhooks.delete(id),
    onSuccess: async () => {
      await renew(["webhooks"]);
      return navigate({ to: "/webhooks" });
    },
  });
  const close = (): void => setAsking(null);
  return (
    <>
      {act.error && (
        <span role="alert" className="bad">
          {act.error.message}
        </span>
      )}
      <Button disabled={act.isPending} onClick={() => act.mutate("test")}>
        Send a test
      </Button>
      {status === "active" ? (
        <Button disabled={act.isPending} onClick={() => act.mutate("pause")}>
          Pause
        </Button>
      ) : (
        <Button disabled={act.isPending} onClick={() => act.mutate("activate")}>
          Activate
        </Button>
      )}
      <Button onClick={() => setAsking("rotate")}>Rotate the secret…</Button>
      <Button look="danger" onClick={() => setAsking("delete")}>
        Delete…
      </Button>
      {asking === "rotate" && !rotate.data && (
        <AskDialog
          title="Rotate the secret?"
          act="Rotate it"
          error={rotate.error}
          isPending={rotate.isPending}
          onSubmit={() => rotate.mutate()}
          onClose={close}
        >
          <p>Messages are signed with the new secret from now on, and the receiver has to know it.</p>
        </AskDialog>
      )}
      {rotate.data && (
        <ShownOnce title="The new secret" secret={rotate.data.secret} onClose={() => (rotate.reset(), close())}>
          The receiver checks signatures with it.
        </ShownOnce>
      )}
      {asking === "delete" && (
        <AskDialog
          title="Delete the webhook?"
          act="Delete it"
          look="danger"
          error={remove.error}
          isPending={remove.isPending}
          onSubmit={() => remove.mutate()}
          onClose={close}
        >
          <p>Nothing is sent to {webhook.url} any more, and its deliveries are forgotten.</p>
        </AskDialog>
      )}
    </>
  );
}
