import { Link } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import type { JobListItem } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { Button } from "../ui/button.tsx";
import { shortId } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Listed } from "../ui/listed.tsx";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { Dot } from "../ui/status.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import { NewSchedule } from "./new-schedule.tsx";
import styles from "./schedules.module.css";

/** What starts runs by the clock. */
export function SchedulesPage(): ReactElement {
  const [isMaking, setMaking] = useState(false);
  const query = usePages(["jobs"], () => client.jobs.list({ limit: 100 }), { refetchMs: 10_000 });
  return (
    <Page
      title="Schedules"
      actions={
        <Button look="primary" onClick={() => setMaking(true)}>
          <Icon name="plus" size={13} />
          New schedule
        </Button>
      }
    >
      <Listed
        query={query}
        empty={
          <Empty title="No schedules yet">
            <p>A schedule runs an agent by a cron expression, at an interval, or once at a time.</p>
          </Empty>
        }
      >
        {(jobs) => (
          <Table heads={["Schedule", "Agent", "When", "Status", "Last tick", "Next#"]} caption="Schedules">
            {jobs.map((job) => (
              <Schedule key={job.id} job={job} />
            ))}
          </Table>
        )}
      </Listed>
      {isMaking && <NewSchedule onClose={() => setMaking(false)} />}
    </Page>
  );
}

const Schedule = ({ job }: { job: JobListItem }): ReactElement => (
  <tr>
    <td>
      <Link to="/schedules/$id" params={{ id: job.id }} className={styles.name}>
        {job.name ?? <span className="num">{shortId(job.id)}</span>}
      </Link>
    </td>
    <td>
      {job.agent_id} <span className="num dim">{job.version}</span>
    </td>
    <td className="num">
      {job.schedule ?? "once"} <span className="dim">{job.timezone}</span>
    </td>
    <td>
      <span className={styles.state}>
        <Dot status={job.status} />
        {job.status}
      </span>
    </td>
    <td>
      {job.last_tick ? (
        <>
          {job.last_tick.outcome} <Ago at={job.last_tick.scheduled_at} />
        </>
      ) : (
        <span className="dim">none</span>
      )}
    </td>
    <Num>{job.next_tick_at ? <Ago at={job.next_tick_at} /> : "–"}</Num>
  </tr>
);
