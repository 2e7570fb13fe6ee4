import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { FiguresBucket, FleetHistory } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { FigureRow } from "../ui/figures.tsx";
import { formatCost, formatCount, formatMs, formatShare, formatTime, formatTokens } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { Plot } from "../ui/plot.tsx";
import { Loaded } from "../ui/states.tsx";
import { Dot } from "../ui/status.tsx";
import { Num, Table } from "../ui/table.tsx";
import styles from "./fleet.module.css";

/** What the whole service does now, and did within the last day. */
export function Overview(): ReactElement {
  const query = useQuery({
    queryKey: ["fleet-overview"],
    queryFn: () => client.admin.getOverview(),
    refetchInterval: 5_000,
  });
  return (
    <Loaded query={query}>
      {({ workers, runs, last_day, queues, daemons, users, agents }) => (
        <>
          <FigureRow
            figures={[
              ["Workers", workers.draining > 0 ? `${workers.active} + ${workers.draining} draining` : workers.active],
              ["Slots busy", `${formatCount(workers.busy)} of ${formatCount(workers.slots)}`],
              ["Users", formatCount(users)],
              ["Agents", formatCount(agents)],
              ["Runs, 24 h", formatCount(last_day.runs)],
              ["Success, 24 h", formatShare(last_day.success_rate)],
              ["Tokens in / out, 24 h", formatTokens(last_day)],
              ["Cost, 24 h", formatCost(last_day.cost_usd)],
            ]}
          />
          <div className={styles.columns}>
            <Section title="Runs that have not ended">
              <Counts counts={runs} />
            </Section>
            <Section title="Daemons">
              {Object.keys(daemons).length === 0 ? (
                <p className={styles.about}>There are none.</p>
              ) : (
                <Counts counts={daemons} />
              )}
            </Section>
            <Section title="Queues">
              <Table heads={["Queue", "Waiting#", "Active#", "Oldest#"]} caption="Queues">
                {queues.map((queue) => (
                  <tr key={queue.name}>
                    <td>
                      {queue.name} {queue.paused && <span className="bad">paused</span>}
                    </td>
                    <Num>{formatCount(queue.waiting)}</Num>
                    <Num>{formatCount(queue.active)}</Num>
                    <Num>{formatMs(queue.oldest_ms)}</Num>
                  </tr>
                ))}
              </Table>
            </Section>
          </div>
          <History />
          <LastDay />
        </>
      )}
    </Loaded>
  );
}

const hourMs = 3_600_000;

/** How busy the fleet was within the last day. */
function History(): ReactElement {
  const query = useQuery({
    queryKey: ["fleet-history"],
    queryFn: () => client.admin.getFleetHistory(),
    refetchInterval: 60_000,
  });
  return (
    <Loaded query={query}>
      {(history) => {
        const steps = stepsOf(history);
        const times = steps.map(({ at }) => formatTime(at));
        return (
          <div className={styles.plots}>
            <Plot
              title="Slots, 24 h"
              kind="lines"
              times={times}
              format={formatCount}
              series={[
                { name: "all", tone: "wait", values: steps.map(({ figures }) => figures?.slots ?? null) },
                { name: "busy", tone: "live", values: steps.map(({ figures }) => figures?.busy ?? null) },
              ]}
            />
            <Plot
              title="Longest wait in a queue, 24 h"
              kind="lines"
              times={times}
              format={formatMs}
              series={[
                {
                  name: "oldest run",
                  tone: "warn",
                  values: steps.map(({ figures }) => figures && (figures.oldest_ms ?? 0)),
                },
              ]}
            />
          </div>
        );
      }}
    </Loaded>
  );
}

type Step = { at: number; figures: FleetHistory["data"][number] | null };

/** All steps of the time range. Those in which nothing was written down have no figures. */
function stepsOf({ since, until, step_ms, data }: FleetHistory): Step[] {
  const known = new Map(data.map((figures) => [Date.parse(figures.at), figures]));
  const first = Math.floor(Date.parse(since) / step_ms) * step_ms;
  return Array.from({ length: Math.ceil((Date.parse(until) - first) / step_ms) }, (_, index) => {
    const at = first + index * step_ms;
    return { at, figures: known.get(at) ?? null };
  });
}

/** The last day of all users' runs, hour by hour. */
function LastDay(): ReactElement {
  const query = useQuery({
    queryKey: ["fleet-day"],
    queryFn: () => client.studio.getOverview({ unit: "hour", since: new Date(Date.now() - 23 * hourMs).toISOString() }),
    refetchInterval: 30_000,
  });
  return (
    <Loaded query={query}>
      {({ series }) => {
        const times = series.map(({ start }) => formatTime(start));
        const of = (pick: (bucket: FiguresBucket) => number | null): (number | null)[] => series.map(pick);
        return (
          <div className={styles.plots}>
            <Plot
              title="How runs ended, 24 h"
              kind="stack"
              times={times}
              format={formatCount}
              series={[
                { name: "success", tone: "ok", values: of(({ success }) => success) },
                { name: "error", tone: "bad", values: of(({ error }) => error) },
                { name: "timeout", tone: "warn", values: of(({ timeout }) => timeout) },
                { name: "cancelled, expired", tone: "wait", values: of((one) => one.cancelled + one.expired) },
              ]}
            />
            <Plot
              title="How long they took, 24 h"
              kind="lines"
              times={times}
              format={formatMs}
              series={[
                { name: "p50", tone: "live", values: of(({ latency_ms }) => latency_ms.p50) },
                { name: "p95", tone: "warn", values: of(({ latency_ms }) => latency_ms.p95) },
              ]}
            />
          </div>
        );
      }}
    </Loaded>
  );
}

const Counts = ({ counts }: { counts: Record<string, number> }): ReactElement => (
  <Table heads={["Status", "Number#"]} caption="By status">
    {Object.entries(counts).map(([status, count]) => (
      <tr key={status}>
        <td>
          <span className={styles.state}>
            <Dot status={status} />
            {status}
          </span>
        </td>
        <Num>{formatCount(count)}</Num>
      </tr>
    ))}
  </Table>
);
