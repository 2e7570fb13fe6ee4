import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { FiguresBucket, RunListItem, StudioFigures } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { FigureRow } from "../ui/figures.tsx";
import { formatCost, formatCount, formatMs, formatShare, formatTokens } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Status } from "../ui/status.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Ago, Clock } from "../ui/time.tsx";
import { Took } from "../ui/took.tsx";
import styles from "./agents.module.css";

/** How an agent does: the last 30 days, its last runs, its errors. */
export function AgentPage(): ReactElement {
  const { id } = useParams({ from: "/agents/$id" });
  const figures = useQuery({
    queryKey: ["agent-figures", id],
    queryFn: () => client.studio.getAgentStats(id, { unit: "day" }),
  });
  return (
    <>
      <Loaded query={figures}>
        {(stats) => (
          <>
            <FigureRow figures={figuresOf(stats)} />
            <Days id={id} series={stats.series} />
          </>
        )}
      </Loaded>
      <div className={styles.columns}>
        <LastRuns id={id} />
        <Errors id={id} />
      </div>
    </>
  );
}

const figuresOf = ({ totals, open }: StudioFigures): [string, string][] => [
  ["Runs, 30 days", formatCount(totals.runs)],
  ["Success", formatShare(totals.success_rate)],
  ["p50", formatMs(totals.latency_ms.p50)],
  ["p95", formatMs(totals.latency_ms.p95)],
  ["Queued, p95", formatMs(totals.queue_ms.p95)],
  ["Tokens in / out", formatTokens(totals)],
  ["Cost", formatCost(totals.cost_usd)],
  ["Running now", formatCount(open.running)],
];

const dayMs = 86_400_000;

/** A day a bar. Each leads to its runs. */
function Days({ id, series }: { id: string; series: FiguresBucket[] }): ReactElement {
  const most = Math.max(1, ...series.map(({ runs }) => runs));
  const share = (part: number): string => `${(part / most) * 100}%`;
  return (
    <Section title="Runs by day">
      <div className={styles.days}>
        {series.map(({ start, runs, error, timeout }) => {
          const title = `${start.slice(0, 10)}: ${runs} runs, ${error + timeout} failed`;
          const until = new Date(new Date(start).getTime() + dayMs).toISOString();
          return (
            <Link
              key={start}
              to="/runs"
              search={{ agent_id: id, since: start, until }}
              title={title}
              aria-label={title}
              tabIndex={-1}
            >
              <b className={styles.failed} style={{ height: share(error + timeout) }} />
              <b style={{ height: share(runs - error - timeout) }} />
              <b />
            </Link>
          );
        })}
      </div>
    </Section>
  );
}

function LastRuns({ id }: { id: string }): ReactElement {
  const query = useQuery({
    queryKey: ["agent-runs", id],
    queryFn: () => client.runs.list({ agent_id: id, limit: 12 }).page(),
    refetchInterval: 5_000,
  });
  return (
    <Section
      title="Last runs"
      actions={
        <Link to="/runs" search={{ agent_id: id }} className="dim">
          Show all
        </Link>
      }
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={styles.none}>This agent has not run yet. Try it in its playground.</p>
          ) : (
            <Table heads={["Status", "Run", "Version", "Took#", "Created#"]} caption="Last runs">
              {data.map((run) => (
                <LastRun key={run.id} run={run} />
              ))}
            </Table>
          )
        }
      </Loaded>
    </Section>
  );
}

const LastRun = ({ run }: { run: RunListItem }): ReactElement => (
  <tr>
    <td>
      <Status status={run.status} />
    </td>
    <td>
      <Link to="/runs/$id" params={{ id: run.id }} className="num">
        {run.id}
      </Link>
    </td>
    <td className="num">{run.version}</td>
    <Num>
      <Took run={run} />
    </Num>
    <Num>
      <Clock at={run.created_at} />
    </Num>
  </tr>
);

function Errors({ id }: { id: string }): ReactElement {
  const query = useQuery({ queryKey: ["agent-errors", id], queryFn: () => client.studio.getAgentErrors(id) });
  return (
    <Section
      title="Errors, 30 days"
      actions={
        <Link to="/errors" search={{ agent: id, last: "30d" }} className="dim">
          Show all
        </Link>
      }
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className={styles.none}>No run has failed.</p>
          ) : (
            <ul className={styles.errors}>
              {data.map(({ code, count, share, last }) => (
                <li key={code}>
                  <Link to="/runs" search={{ agent_id: id, error_code: code }} className="num">
                    {formatCount(count)}
                  </Link>
                  <span className="clip">
                    <span className="num">{code}</span> {last && <span className="dim">{last.message}</span>}
                  </span>
                  <span className="dim">
                    {last ? (
                      <Link to="/runs/$id" params={{ id: last.run_id }}>
                        <Ago at={last.at} />
                      </Link>
                    ) : (
                      formatShare(share)
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
