import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { client } from "../data/client.ts";
import { type RangeName, ranges } from "../data/runs-search.ts";
import { FigureRow } from "../ui/figures.tsx";
import { formatCost, formatCount, formatMs, formatShare, formatTokens } from "../ui/format.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { Num, Table } from "../ui/table.tsx";
import styles from "./fleet.module.css";

/** As many as the service tells at once. */
const mostRows = 100;

/** Who and what costs most. */
export function Costs(): ReactElement {
  const [by, setBy] = useState<"user" | "agent">("user");
  const [range, setRange] = useState<RangeName>("30d");
  const query = useQuery({
    queryKey: ["costs", by, range],
    queryFn: () =>
      client.admin.getCosts({ by, since: new Date(Date.now() - ranges[range]).toISOString(), limit: mostRows }),
    refetchInterval: 30_000,
  });
  return (
    <>
      <div className={styles.bar}>
        <label>
          <span className="unseen">By</span>
          <select value={by} onChange={({ target }) => setBy(target.value === "agent" ? "agent" : "user")}>
            <option value="user">by user</option>
            <option value="agent">by agent</option>
          </select>
        </label>
        <label>
          <span className="unseen">Time</span>
          <select value={range} onChange={({ target }) => setRange(target.value as RangeName)}>
            <option value="24h">last 24 hours</option>
            <option value="7d">last 7 days</option>
            <option value="30d">last 30 days</option>
          </select>
        </label>
      </div>
      <Loaded query={query}>
        {({ total, data }) => (
          <>
            <FigureRow
              figures={[
                ["Cost", formatCost(total.cost_usd)],
                ["Runs", formatCount(total.runs)],
                ["Ran for", formatMs(total.duration_ms)],
                ["CPU", formatMs(total.cpu_ms)],
                ["Tokens in / out", formatTokens(total)],
              ]}
            />
            {data.length === 0 ? (
              <Empty title="Nothing ran">
                <p>What the runs of this time cost appears here, by user or by agent.</p>
              </Empty>
            ) : (
              <Table
                heads={[by === "user" ? "User" : "Agent", "Share", "Runs#", "CPU#", "Tokens in / out#", "Cost#"]}
                caption="Costs"
              >
                {data.map((row) => (
                  <tr key={row.id}>
                    <td>{row.id}</td>
                    <td className={styles.share}>
                      <i aria-hidden style={{ width: `${shareOf(row, total) * 100}%` }} />
                      <span className="num">{formatShare(shareOf(row, total))}</span>
                    </td>
                    <Num>{formatCount(row.runs)}</Num>
                    <Num>{formatMs(row.cpu_ms)}</Num>
                    <Num>{formatTokens(row)}</Num>
                    <Num>{formatCost(row.cost_usd)}</Num>
                  </tr>
                ))}
              </Table>
            )}
            {data.length === mostRows && (
              <p className={styles.about}>These are the {mostRows} with the highest cost.</p>
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

type Sums = { cost_usd: number; cpu_ms: number };

/** Of the cost; of the CPU time where nothing cost money. */
function shareOf(row: Sums, total: Sums): number {
  if (total.cost_usd > 0) return row.cost_usd / total.cost_usd;
  return total.cpu_ms > 0 ? row.cpu_ms / total.cpu_ms : 0;
}
