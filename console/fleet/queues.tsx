import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { QueueState } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { Button } from "../ui/button.tsx";
import { formatCount, formatMs } from "../ui/format.ts";
import { Loaded } from "../ui/states.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./fleet.module.css";

const names = { runs: "Runs", callbacks: "Callbacks and webhooks" };

/** What waits for workers, and for receivers of callbacks. */
export function Queues(): ReactElement {
  const query = useQuery({ queryKey: ["queues"], queryFn: () => client.admin.listQueues(), refetchInterval: 3_000 });
  const act = useMutation({
    mutationFn: ({ name, paused }: { name: string; paused: boolean }) =>
      paused ? client.admin.resumeQueue(name) : client.admin.pauseQueue(name),
    onSettled: () => renew(["queues"]),
  });
  return (
    <>
      {act.error && (
        <p role="alert" className={`bad ${styles.about}`}>
          {act.error.message}
        </p>
      )}
      <Loaded query={query}>
        {({ data }) => (
          <Table
            heads={["Queue", "State", "Waiting#", "Active#", "Oldest#", "Given up#", "In Redis", ""]}
            caption="Queues"
          >
            {data.map((queue) => (
              <tr key={queue.name}>
                <td>{names[queue.name]}</td>
                <td>
                  {queue.paused ? (
                    <span className="bad">
                      paused by <span className="num">{queue.paused_by}</span> <Ago at={queue.paused_at} />
                    </span>
                  ) : (
                    "open"
                  )}
                </td>
                <Num>{formatCount(queue.waiting)}</Num>
                <Num>{formatCount(queue.active)}</Num>
                <Num>{formatMs(queue.oldest_ms)}</Num>
                <Num>
                  {queue.dead > 0 ? (
                    <Link to="/fleet/$tab" params={{ tab: "dead-letters" }} className={styles.link}>
                      {formatCount(queue.dead)}
                    </Link>
                  ) : (
                    0
                  )}
                </Num>
                <td className="num dim">{inRedis(queue)}</td>
                <td className={styles.act}>
                  <Button
                    disabled={act.isPending}
                    aria-label={`${queue.paused ? "Resume" : "Pause"} ${names[queue.name]}`}
                    onClick={() => act.mutate(queue)}
                  >
                    {queue.paused ? "Resume" : "Pause"}
                  </Button>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Loaded>
      <p className={styles.about}>
        What is accepted while a queue is paused waits and is not lost. Running runs go on.
      </p>
    </>
  );
}

/** What stands in Redis of a queue. Only runs have something there: callbacks are taken from the database. */
function inRedis({ name, nudges }: QueueState): string {
  if (name !== "runs") return "–";
  if (nudges === null) return "Redis can't be reached";
  const counts = Object.entries(nudges).filter(([, count]) => count > 0);
  return counts.map(([state, count]) => `${count} ${state}`).join(", ") || "nothing";
}
