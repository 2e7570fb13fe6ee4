import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type FormEvent, type ReactElement, useState } from "react";
import type { Daemon, DaemonLogLine } from "../../sdk/ts/index.ts";
import { client, queryClient, renew } from "../data/client.ts";
import { JsonField } from "../form/json-field.tsx";
import { Button } from "../ui/button.tsx";
import { FigureRow } from "../ui/figures.tsx";
import { formatCount, formatMs } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Ago, Clock } from "../ui/time.tsx";
import { VirtualLines } from "../ui/virtual-lines.tsx";
import styles from "./daemons.module.css";

/** An agent's daemon: what is wanted of it, what it does, what it says. */
export function DaemonPage(): ReactElement {
  const { id } = useParams({ from: "/agents/$id/daemon" });
  const query = useQuery({
    queryKey: ["daemon", id],
    queryFn: () => client.daemons.getStatus(id),
    refetchInterval: 2_000,
  });
  return <Loaded query={query}>{(daemon) => <Shown daemon={daemon} />}</Loaded>;
}

const Shown = ({ daemon }: { daemon: Daemon }): ReactElement => (
  <>
    <FigureRow
      figures={[
        ["Status", daemon.status],
        ["Wanted", daemon.desired],
        ["Health", daemon.health.state],
        ["Up", formatMs(daemon.uptime_ms)],
        ["Restarts", formatCount(daemon.restarts)],
        ["Waiting messages", formatCount(daemon.mailbox_depth)],
        ["Version", daemon.version],
      ]}
    />
    <div className={styles.bar}>
      <Actions id={daemon.agent_id} daemon={daemon} />
      {daemon.last_exit && (
        <span className="dim">
          Last exit <Ago at={daemon.last_exit.at} />: {daemon.last_exit.reason ?? `code ${daemon.last_exit.code}`}
        </span>
      )}
    </div>
    <div className={styles.columns}>
      <Log id={daemon.agent_id} />
      <Message id={daemon.agent_id} />
    </div>
  </>
);

type Action = "start" | "stop" | "restart" | "pause" | "resume";

function Actions({ id, daemon }: { id: string; daemon: Daemon }): ReactElement {
  const act = useMutation({
    mutationFn: (action: Action) => client.daemons.control(id, { agent_id: id, action }),
    onSettled: () => renew(["daemon", id]),
  });
  return (
    <span className={styles.actions}>
      {actionsOf(daemon).map((action) => (
        <Button
          key={action}
          look={action === "stop" ? "danger" : "plain"}
          disabled={act.isPending}
          onClick={() => act.mutate(action)}
        >
          {action[0]?.toUpperCase()}
          {action.slice(1)}
        </Button>
      ))}
      {act.error && (
        <span role="alert" className="bad">
          {act.error.message}
        </span>
      )}
    </span>
  );
}

function actionsOf(daemon: Daemon): Action[] {
  if (daemon.desired === "stopped") return ["start"];
  return daemon.desired === "paused" ? ["resume", "stop"] : ["pause", "restart", "stop"];
}

/** A page shows the newest ones. */
const mostLines = 5_000;

/** Returns the lines that are known, and those that came after them. The log is read from its oldest line. */
async function readLog(id: string): Promise<DaemonLogLine[]> {
  const known = queryClient.getQueryData<DaemonLogLine[]>(["daemon-log", id]) ?? [];
  let lines = known;
  for (;;) {
    const after = lines.at(-1)?.id;
    const page = await client.daemons.listLogs(id, { limit: 1_000, ...(after !== undefined && { after }) }).page();
    lines = [...lines, ...page.data].slice(-mostLines);
    if (!page.has_more) return lines;
  }
}

function Log({ id }: { id: string }): ReactElement {
  const query = useQuery({ queryKey: ["daemon-log", id], queryFn: () => readLog(id), refetchInterval: 2_000 });
  return (
    <Section title="Log">
      <div className={styles.log}>
        <Loaded query={query}>
          {(lines) =>
            lines.length === 0 ? (
              <p className={styles.none}>It has said nothing yet.</p>
            ) : (
              <VirtualLines label="Log" lines={lines} keyOf={(line) => line.id} height={20} follows>
                {({ ts, level, stream, message }) => (
                  <div className={styles.line}>
                    <span className="dim">
                      <Clock at={ts} isExact />
                    </span>
                    <span className="dim">{stream === "daemon" ? stream : level}</span>
                    <span>{message}</span>
                  </div>
                )}
              </VirtualLines>
            )
          }
        </Loaded>
      </div>
    </Section>
  );
}

function Message({ id }: { id: string }): ReactElement {
  const [payload, setPayload] = useState<Record<string, unknown>>({});
  const send = useMutation({
    mutationFn: () => client.daemons.postMessage(id, { payload }),
    onSettled: () => renew(["daemon", id]),
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    send.mutate();
  }
  return (
    <Section title="Send a message">
      <form className={styles.message} onSubmit={submit}>
        <JsonField
          label="Message as JSON"
          rows={6}
          value={payload}
          onChange={(value) => setPayload((value ?? {}) as Record<string, unknown>)}
        />
        {send.error && (
          <p role="alert" className="bad">
            {send.error.message}
          </p>
        )}
        {send.isSuccess && <p role="status">It was put into the mailbox.</p>}
        <Button type="submit" look="primary" disabled={send.isPending}>
          Send
        </Button>
      </form>
      <p className={styles.none}>
        Each message is a run:{" "}
        <Link to="/runs" search={{ agent_id: id, lifecycle: "daemon" }}>
          show them
        </Link>
      </p>
    </Section>
  );
}
