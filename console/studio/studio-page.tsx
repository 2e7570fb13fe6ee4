import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { FiguresBucket, StudioFigures } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { isRange, type RangeName, ranges } from "../data/runs-search.ts";
import { buttonClass } from "../ui/button.tsx";
import { Download } from "../ui/download.tsx";
import { FigureRow } from "../ui/figures.tsx";
import { formatCost, formatCount, formatMs, formatShare, formatTokens } from "../ui/format.ts";
import { Listed } from "../ui/listed.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Plot } from "../ui/plot.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Ago, useNow } from "../ui/time.tsx";
import styles from "./studio.module.css";

const names: [RangeName, string][] = [
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
];

/** What all runs did over time: how they ended, how long they took, what they used. */
export function StudioPage(): ReactElement {
  const { last = "7d", agent } = useSearch({ from: "/studio" });
  const range = isRange(last) ? last : "7d";
  const unit = range === "30d" ? "day" : "hour";
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const query = useQuery({
    queryKey: ["studio", range, agent],
    queryFn: () => {
      const asked = { unit, timezone, since: new Date(Date.now() - ranges[range]).toISOString() } as const;
      return agent === undefined ? client.studio.getOverview(asked) : client.studio.getAgentStats(agent, asked);
    },
    refetchInterval: 30_000,
  });
  return (
    <Page
      title={agent === undefined ? "Studio" : `Studio: ${agent}`}
      beside={
        <nav aria-label="Time" className={styles.ranges}>
          {names.map(([name, text]) => (
            <Link key={name} to="/studio" search={{ last: name, agent }} data-chosen={name === range || undefined}>
              {text}
            </Link>
          ))}
        </nav>
      }
      actions={<Export range={range} agent={agent} />}
    >
      <Loaded query={query}>{(figures) => <Figures figures={figures} />}</Loaded>
      {agent === undefined && <Agents range={range} />}
    </Page>
  );
}

function Figures({ figures }: { figures: StudioFigures }): ReactElement {
  const { totals } = figures;
  return (
    <>
      <FigureRow
        figures={[
          ["Runs", formatCount(totals.runs)],
          ["Success", formatShare(totals.success_rate)],
          ["p50", formatMs(totals.latency_ms.p50)],
          ["p95", formatMs(totals.latency_ms.p95)],
          ["Queued, p95", formatMs(totals.queue_ms.p95)],
          ["Tokens in / out", formatTokens(totals)],
          ["Cost", formatCost(totals.cost_usd)],
        ]}
      />
      {totals.runs === 0 ? (
        <Empty title="No run in this time">
          <p>Choose a longer time, or run an agent: its figures are here a minute later.</p>
        </Empty>
      ) : (
        <Plots figures={figures} />
      )}
    </>
  );
}

function Plots({ figures: { series, unit } }: { figures: StudioFigures }): ReactElement {
  const times = series.map(({ start }) => timeOf(start, unit));
  const of = (pick: (bucket: FiguresBucket) => number | null): (number | null)[] => series.map(pick);
  return (
    <div className={styles.plots}>
      <Plot
        title="How runs ended"
        kind="stack"
        times={times}
        format={formatCount}
        series={[
          { name: "success", tone: "ok", values: of(({ success }) => success) },
          { name: "error", tone: "bad", values: of(({ error }) => error) },
          { name: "timeout", tone: "warn", values: of(({ timeout }) => timeout) },
          { name: "cancelled, expired", tone: "wait", values: of(({ cancelled, expired }) => cancelled + expired) },
        ]}
      />
      <Plot
        title="How long they took"
        kind="lines"
        times={times}
        format={formatMs}
        series={[
          { name: "p50", tone: "live", values: of(({ latency_ms }) => latency_ms.p50) },
          { name: "p95", tone: "warn", values: of(({ latency_ms }) => latency_ms.p95) },
          { name: "p99", tone: "bad", values: of(({ latency_ms }) => latency_ms.p99) },
        ]}
      />
      <Plot
        title="Tokens"
        kind="stack"
        times={times}
        format={formatCount}
        series={[
          { name: "in", tone: "tool", values: of(({ input_tokens }) => input_tokens) },
          { name: "out", tone: "ask", values: of(({ output_tokens }) => output_tokens) },
        ]}
      />
      <Plot
        title="Cost"
        kind="stack"
        times={times}
        format={formatCost}
        series={[{ name: "US dollars", tone: "step", values: of(({ cost_usd }) => cost_usd) }]}
      />
    </div>
  );
}

const timeOf = (start: string, unit: string): string =>
  new Date(start).toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    ...(unit === "hour" && { hour: "2-digit", minute: "2-digit" }),
  });

function Agents({ range }: { range: RangeName }): ReactElement {
  const query = usePages(["studio-agents", range], () =>
    client.studio.listAgents({ limit: 50, since: new Date(Date.now() - ranges[range]).toISOString() }),
  );
  return (
    <Section title="By agent">
      <Listed query={query} empty={<p className={`dim ${styles.none}`}>There are none.</p>}>
        {(agents) => (
          <Table
            heads={["Agent", "Runs#", "Success#", "p50#", "p95#", "Tokens in / out#", "Cost#", "Last run#"]}
            caption="By agent"
          >
            {agents.map((one) => (
              <tr key={one.agent_id}>
                <td>
                  <Link to="/studio" search={{ last: range, agent: one.agent_id }} className={styles.name}>
                    {one.name}
                  </Link>
                </td>
                <Num>{formatCount(one.runs)}</Num>
                <Num>{formatShare(one.success_rate)}</Num>
                <Num>{formatMs(one.latency_ms.p50)}</Num>
                <Num>{formatMs(one.latency_ms.p95)}</Num>
                <Num>{formatTokens(one)}</Num>
                <Num>{formatCost(one.cost_usd)}</Num>
                <Num>
                  <Ago at={one.last_run_at} />
                </Num>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </Section>
  );
}

/** The runs behind the figures. */
function Export({ range, agent }: { range: RangeName; agent: string | undefined }): ReactElement {
  const now = useNow();
  const since = new Date(Math.floor((now - ranges[range]) / 60_000) * 60_000).toISOString();
  const query = new URLSearchParams({ format: "csv", since, ...(agent !== undefined && { agent_id: agent }) });
  return <Download path={`/v1/studio/export?${query}`} file="runs.csv" text="CSV" className={buttonClass()} />;
}
