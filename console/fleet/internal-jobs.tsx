import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { InternalJob } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { allows, useSession } from "../data/session.ts";
import { Button } from "../ui/button.tsx";
import { formatMs } from "../ui/format.ts";
import { Loaded } from "../ui/states.tsx";
import { Dot } from "../ui/status.tsx";
import { Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./fleet.module.css";

/** What the service does by itself, when it did so last, and with what result. */
export function InternalJobs(): ReactElement {
  const { data: session } = useSession();
  const query = useQuery({
    queryKey: ["internal-jobs"],
    queryFn: () => client.internal.listJobs(),
    refetchInterval: 10_000,
  });
  const mayRun = session !== undefined && allows(session, "internal");
  return (
    <Loaded query={query}>
      {({ data }) => (
        <Table heads={["Job", "Every", "Last", "Result", ""]} caption="Internal jobs">
          {data.map((job) => (
            <InternalJobRow key={job.name} job={job} mayRun={mayRun} />
          ))}
        </Table>
      )}
    </Loaded>
  );
}

function InternalJobRow({ job, mayRun }: { job: InternalJob; mayRun: boolean }): ReactElement {
  const { name, summary, every_ms, last_run } = job;
  const run = useMutation({
    mutationFn: () => client.internal.runJob(name),
    onSettled: () => renew(["internal-jobs"]),
  });
  return (
    <tr>
      <td className={styles.internalJob}>
        <span className="num">{name}</span>
        <p className="dim">{summary}</p>
      </td>
      <td className="num">{every_ms === null ? "by hand" : formatMs(every_ms)}</td>
      <td>
        {last_run ? (
          <span className={styles.state}>
            <Dot status={last_run.status} />
            <Ago at={last_run.started_at} />
            <span className="num dim">{formatMs(last_run.duration_ms)}</span>
          </span>
        ) : (
          <span className="dim">never</span>
        )}
      </td>
      <td className={styles.wrap}>
        {run.error && (
          <span role="alert" className="bad">
            {run.error.message}{" "}
          </span>
        )}
        {last_run?.error && <span className="bad">{last_run.error}</span>}
        <span className="num dim">
          {Object.entries(last_run?.result ?? {})
            .filter(([, value]) => value !== 0)
            .map(([what, value]) => `${value} ${(value === 1 ? what.replace(/s$/, "") : what).replaceAll("_", " ")}`)
            .join(", ") || (last_run ? "nothing to do" : "")}
        </span>
      </td>
      <td className={styles.act}>
        {mayRun && (
          <Button disabled={run.isPending} aria-label={`Run now: ${name}`} onClick={() => run.mutate()}>
            Run now
          </Button>
        )}
      </td>
    </tr>
  );
}
