import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { Job, JobTick } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { Button } from "../ui/button.tsx";
import { FigureRow } from "../ui/figures.tsx";
import { JsonTree } from "../ui/json-tree.tsx";
import { Listed } from "../ui/listed.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Ago, Clock } from "../ui/time.tsx";
import styles from "./schedules.module.css";

/** One schedule: when it fires, what became of its ticks, and what it runs. */
export function SchedulePage(): ReactElement {
  const { id } = useParams({ from: "/schedules/$id" });
  const query = useQuery({ queryKey: ["job", id], queryFn: () => client.jobs.get(id), refetchInterval: 10_000 });
  return (
    <Loaded query={query}>
      {(job) => (
        <Page
          title={job.name ?? job.id}
          beside={
            <Link to="/agents/$id" params={{ id: job.agent_id }} className="dim">
              {job.agent_id}
            </Link>
          }
          actions={<Actions job={job} />}
        >
          <FigureRow
            figures={[
              ["When", job.schedule ?? "once"],
              ["Time zone", job.timezone],
              ["Status", job.status],
              ["Next", job.next_tick_at ? <Ago at={job.next_tick_at} /> : "–"],
              ["While a run goes on", job.overlap.replace("_", " ")],
              ["Missed ticks", job.catch_up],
            ]}
          />
          <div className={styles.columns}>
            <Ticks id={job.id} />
            <Section title="Input">
              <JsonTree value={job.input_payload} label="input" />
            </Section>
          </div>
        </Page>
      )}
    </Loaded>
  );
}

function Actions({ job }: { job: Job }): ReactElement {
  const navigate = useNavigate();
  const act = useMutation({
    mutationFn: async (does: "trigger" | "pause" | "resume" | "delete") => void (await client.jobs[does](job.id)),
    onSuccess: async (_, does) => {
      if (does === "delete") return navigate({ to: "/schedules" });
      await renew(["job", job.id]);
      return renew(["ticks", job.id]);
    },
  });
  return (
    <>
      {act.error && (
        <span role="alert" className="bad">
          {act.error.message}
        </span>
      )}
      <Button disabled={act.isPending} onClick={() => act.mutate("trigger")}>
        Run now
      </Button>
      {job.status === "active" && <Button onClick={() => act.mutate("pause")}>Pause</Button>}
      {job.status === "paused" && <Button onClick={() => act.mutate("resume")}>Resume</Button>}
      <Button look="danger" disabled={act.isPending} onClick={() => act.mutate("delete")}>
        Delete
      </Button>
    </>
  );
}

/** So many ticks are a square each. */
const stripTicks = 60;

function Ticks({ id }: { id: string }): ReactElement {
  const query = usePages(["ticks", id], () => client.jobs.listTicks(id, { limit: stripTicks }), { refetchMs: 10_000 });
  return (
    <Section title="Ticks">
      <Listed
        query={query}
        empty={
          <Empty title="No tick yet">
            <p>Each tick appears here, with its run or why there is none.</p>
          </Empty>
        }
      >
        {(ticks) => (
          <>
            <Strip ticks={ticks.slice(0, stripTicks)} />
            <Table heads={["Time", "Outcome", "Run"]} caption="Ticks">
              {ticks.map((tick) => (
                <tr key={tick.id}>
                  <td>
                    <Clock at={tick.scheduled_at} /> {tick.manual && <span className="dim">by hand</span>}
                  </td>
                  <td>
                    {tick.outcome} {tick.reason && <span className="dim">{tick.reason.replaceAll("_", " ")}</span>}
                  </td>
                  <td>
                    {tick.run_id && (
                      <Link to="/runs/$id" params={{ id: tick.run_id }} className="num">
                        {tick.run_id}
                      </Link>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          </>
        )}
      </Listed>
    </Section>
  );
}

/** The last ticks, oldest first, so that a habit is seen. */
function Strip({ ticks }: { ticks: JobTick[] }): ReactElement {
  const count = (outcome: string): number => ticks.filter((tick) => tick.outcome === outcome).length;
  const title = `Of the last ${ticks.length} ticks ${count("fired")} fired, ${count("skipped")} were skipped, ${count("missed")} missed`;
  return (
    <div className={styles.strip} role="img" aria-label={title} title={title}>
      {ticks.toReversed().map(({ id, outcome }) => (
        <i key={id} data-outcome={outcome} />
      ))}
    </div>
  );
}
