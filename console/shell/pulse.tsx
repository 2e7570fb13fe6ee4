import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { FiguresBucket } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import styles from "./shell.module.css";

const hourMs = 3_600_000;

/** The runs of the last 48 hours, an hour a bar. Failures stand on top, and each bar leads to its runs. */
export function Pulse(): ReactElement {
  const { data } = useQuery({
    queryKey: ["pulse"],
    queryFn: () => client.studio.getOverview({ unit: "hour", since: new Date(Date.now() - 47 * hourMs).toISOString() }),
    refetchInterval: 60_000,
  });
  const series = data?.series ?? [];
  const most = Math.max(1, ...series.map(({ runs }) => runs));
  return (
    <nav aria-label="Runs of the last 48 hours" className={styles.pulse}>
      {series.map((bucket) => (
        <Bar key={bucket.start} bucket={bucket} most={most} />
      ))}
    </nav>
  );
}

function Bar({ bucket, most }: { bucket: FiguresBucket; most: number }): ReactElement {
  const { start, runs, error, timeout } = bucket;
  const failed = error + timeout;
  const until = new Date(new Date(start).getTime() + hourMs).toISOString();
  const title = `${new Date(start).toLocaleString("en-GB", { hour: "2-digit", minute: "2-digit", day: "numeric", month: "short" })}: ${runs} runs, ${failed} failed`;
  return (
    <Link to="/runs" search={{ since: start, until }} title={title} aria-label={title} tabIndex={-1}>
      <b className={styles.failed} style={{ height: `${(failed / most) * 100}%` }} />
      <b style={{ height: `${((runs - failed) / most) * 100}%` }} />
    </Link>
  );
}
