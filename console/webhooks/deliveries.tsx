import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import type { Delivery, Webhook } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { Button } from "../ui/button.tsx";
import { formatCount, formatMs, shortId } from "../ui/format.ts";
import { JsonTree } from "../ui/json-tree.tsx";
import { Listed } from "../ui/listed.tsx";
import { Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Dot } from "../ui/status.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Ago, Clock } from "../ui/time.tsx";
import styles from "./webhooks.module.css";

const statuses = ["all", "pending", "delivered", "exhausted"] as const;
const tones = { pending: "queued", delivered: "success", exhausted: "error" } as const;

/** What was sent to a webhook, each with its tries. */
export function Deliveries({ webhook: { id, created_at } }: { webhook: Webhook }): ReactElement {
  const [status, setStatus] = useState<(typeof statuses)[number]>("all");
  const query = usePages(
    ["deliveries", id, status],
    () => client.webhooks.listDeliveries(id, { limit: 100, ...(status !== "all" && { status }) }),
    // What was just sent is tried at once.
    { refetchMs: (deliveries) => (deliveries.some(isUntried) ? 500 : 3_000) },
  );
  const onSettled = (): Promise<void> => renew(["deliveries", id]);
  const again = useMutation({
    mutationFn: (delivery_id: string) => client.webhooks.redeliverDelivery(id, { delivery_id }),
    onSettled,
  });
  const all = useMutation({ mutationFn: () => redeliverAll(id, created_at), onSettled });
  const error = again.error ?? all.error;
  return (
    <Section
      title="Deliveries"
      actions={
        <span className={styles.choices}>
          {error && (
            <span role="alert" className="bad">
              {error.message}
            </span>
          )}
          {all.data !== undefined && (
            <span role="status">
              {formatCount(all.data)} {all.data === 1 ? "delivery is" : "deliveries are"} sent again.
            </span>
          )}
          <label>
            <span className="unseen">Status</span>
            <select value={status} onChange={({ target }) => setStatus(statuses[target.selectedIndex] ?? "all")}>
              {statuses.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <Button disabled={all.isPending} onClick={() => all.mutate()}>
            Send again what was given up
          </Button>
        </span>
      }
    >
      <Listed
        query={query}
        empty={
          <Empty title={status === "all" ? "Nothing was sent yet" : `No delivery is ${status}`}>
            <p>Each event that it asks for appears here, with every try and what the receiver answered.</p>
          </Empty>
        }
      >
        {(deliveries) => (
          <Table heads={["Event", "Status", "Run", "Tries", "Last answer", "Created#", ""]} caption="Deliveries">
            {deliveries.map((delivery) => (
              <Row
                key={delivery.id}
                delivery={delivery}
                isPending={again.isPending}
                onAgain={() => again.mutate(delivery.id)}
              />
            ))}
          </Table>
        )}
      </Listed>
    </Section>
  );
}

/** Sends again what was given up since a time, and returns how many deliveries that were. */
async function redeliverAll(id: string, since: string): Promise<number> {
  let sum = 0;
  for (let after: string | null = null; ;) {
    const sent = await client.webhooks.redeliverDelivery(id, { since, after });
    if (sent.object !== "redelivery") return sum;
    sum += sent.redelivered;
    if (!sent.has_more) return sum;
    after = sent.last_id;
  }
}

const isUntried = ({ status, attempts }: Delivery): boolean => status === "pending" && attempts === 0;

type RowProps = { delivery: Delivery; isPending: boolean; onAgain: () => void };

function Row({ delivery, isPending, onAgain }: RowProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const last = delivery.tries.at(-1);
  return (
    <>
      <tr>
        <td className="num">{delivery.type}</td>
        <td>
          <span className={styles.state}>
            <Dot status={tones[delivery.status]} />
            {delivery.status}
          </span>
        </td>
        <td>
          {delivery.run_id && (
            <Link to="/runs/$id" params={{ id: delivery.run_id }} className={`num ${styles.link}`}>
              {shortId(delivery.run_id)}
            </Link>
          )}
        </td>
        <td>
          <button type="button" className={styles.link} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <span className="num">{formatCount(delivery.attempts)}</span>&nbsp;
            {delivery.attempts === 1 ? "try" : "tries"}
          </button>
        </td>
        <td className={styles.answer}>
          {last?.status_code != null && <span className="num">{last.status_code}</span>}{" "}
          <span className={last?.error ? "bad" : "dim"}>
            {last?.error ?? (last ? formatMs(last.duration_ms) : "–")}
          </span>
          {delivery.next_attempt_at && (
            <span className="dim">
              {" "}
              again <Ago at={delivery.next_attempt_at} />
            </span>
          )}
        </td>
        <Num>
          <Clock at={delivery.created_at} />
        </Num>
        <td className={styles.again}>
          <Button disabled={isPending} onClick={onAgain} aria-label={`Send again: ${delivery.type}`}>
            Send again
          </Button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={7}>
            <Tries delivery={delivery} />
            <Body delivery={delivery} />
          </td>
        </tr>
      )}
    </>
  );
}

const Tries = ({ delivery }: { delivery: Delivery }): ReactElement => (
  <ol className={styles.tries} aria-label="Tries">
    {delivery.tries.map((one) => (
      <li key={`${one.try} ${one.at}`}>
        <span className="num">{one.try}</span>
        <Clock at={one.at} />
        <span className="num">{one.status_code ?? "no answer"}</span>
        <span className="num dim">{formatMs(one.duration_ms)}</span>
        <span className="bad">{one.error}</span>
        <span className="dim">{one.hint}</span>
      </li>
    ))}
    {delivery.tries.length === 0 && <li className="dim">It was not tried yet.</li>}
  </ol>
);

/** What is sent. A list has no bodies: this one is asked for when it is looked at. */
function Body({ delivery: { id, webhook_id, created_at } }: { delivery: Delivery }): ReactElement {
  const query = useQuery({
    queryKey: ["delivery-body", id],
    queryFn: async () => {
      const asked = { since: created_at, order: "asc", limit: 100, include: "payload" } as const;
      for await (const one of client.webhooks.listDeliveries(webhook_id, asked)) if (one.id === id) return one;
      return null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={query}>
      {(found) =>
        found?.payload != null ? (
          <JsonTree value={found.payload} label="body" />
        ) : (
          <p className={`dim ${styles.body}`}>
            {found === null ? "It is no longer stored." : "Its body is the run's record as it is when it is sent."}
          </p>
        )
      }
    </Loaded>
  );
}
