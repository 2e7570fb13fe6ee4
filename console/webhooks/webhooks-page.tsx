import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import type { NewWebhook, Webhook } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { AskDialog, ShownOnce } from "../ui/ask-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Listed } from "../ui/listed.tsx";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { Dot } from "../ui/status.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./webhooks.module.css";

/** Addresses that hear of events. */
export function WebhooksPage(): ReactElement {
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<NewWebhook | null>(null);
  const query = usePages(["webhooks"], () => client.webhooks.list({ limit: 100 }), { refetchMs: 15_000 });
  return (
    <Page
      title="Webhooks"
      actions={
        <Button look="primary" onClick={() => setMaking(true)}>
          <Icon name="plus" size={13} />
          New webhook
        </Button>
      }
    >
      <Listed
        query={query}
        empty={
          <Empty title="No webhooks yet">
            <p>A webhook is sent a signed POST when a run ends, a daemon fails, or you are notified of something.</p>
          </Empty>
        }
      >
        {(webhooks) => (
          <Table heads={["Address", "Events", "Status", "Given up in a row#", "Created#"]} caption="Webhooks">
            {webhooks.map((webhook) => (
              <Row key={webhook.id} webhook={webhook} />
            ))}
          </Table>
        )}
      </Listed>
      {isMaking && (
        <New
          onClose={() => setMaking(false)}
          onMade={(webhook) => {
            setMaking(false);
            setMade(webhook);
          }}
        />
      )}
      {made && (
        <ShownOnce title="The webhook's secret" secret={made.secret} onClose={() => setMade(null)}>
          The receiver checks signatures with it.
        </ShownOnce>
      )}
    </Page>
  );
}

const Row = ({ webhook }: { webhook: Webhook }): ReactElement => (
  <tr>
    <td className={styles.address}>
      <Link to="/webhooks/$id" params={{ id: webhook.id }} title={webhook.url}>
        {webhook.url}
      </Link>
    </td>
    <td className={`num ${styles.events}`}>{webhook.events.join(", ")}</td>
    <td>
      <span className={styles.state}>
        <Dot status={webhook.status === "disabled" ? "error" : webhook.status} />
        {webhook.status}
      </span>
    </td>
    <Num>{formatCount(webhook.failures)}</Num>
    <Num>
      <Ago at={webhook.created_at} />
    </Num>
  </tr>
);

type NewProps = { onClose: () => void; onMade: (webhook: NewWebhook) => void };

function New({ onClose, onMade }: NewProps): ReactElement {
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState("run.*, daemon.failed");
  const [agents, setAgents] = useState("");
  const make = useMutation({
    mutationFn: () => client.webhooks.create({ url, events: wordsOf(events), agent_ids: wordsOf(agents) }),
    onSuccess: async (webhook) => {
      await renew(["webhooks"]);
      onMade(webhook);
    },
  });
  return (
    <AskDialog
      title="New webhook"
      act="Make it"
      error={make.error}
      isPending={make.isPending}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <label>
        Address
        <input
          required
          type="url"
          placeholder="https://example.com/hook"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
      </label>
      <label>
        Events, with commas between: run.success, run.*, daemon.failed, notification.*, *
        <input required className="num" value={events} onChange={({ target }) => setEvents(target.value)} />
      </label>
      <label>
        Of these agents only; empty: of all
        <input className="num" value={agents} onChange={({ target }) => setAgents(target.value)} />
      </label>
    </AskDialog>
  );
}

const wordsOf = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
