import { type JobListItem, type JobRecord, jobRecord } from "../../schemas/job.ts";
import type { Db } from "../client.ts";
import { listOf, t } from "../columns.ts";
import { joined, raw, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { JobTick } from "../generated/client.ts";
import { tickColumns, toTickRecord } from "./list-ticks.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { type JobRow, runOptions } from "./job-columns.ts";

/** The owner's jobs of these ids, in any order. */
export async function readJobs(db: Db, ids: string[], owner: Owner, withInput: boolean): Promise<JobListItem[]> {
  const omit = { sealed_env: true, run_context: true, input_payload: !withInput } as const;
  const jobs = await db.prisma.job.findMany({ where: { id: { in: ids }, ...ownedBy(owner) }, omit });
  const rows = await lastTicks.rows(db.sql, { ids });
  return jobs.map((job) =>
    toJobListItem(
      job,
      rows.find(({ job_id }) => job_id === job.id),
    ),
  );
}

/** Returns null when the owner has no such job. */
export async function readJob(db: Db, id: string, owner: Owner): Promise<JobRecord | null> {
  const [job] = await readJobs(db, [id], owner, true);
  return job ? { ...job, input_payload: job.input_payload ?? {} } : null;
}

const lastTicks = statement({
  name: "last-ticks",
  takes: { ids: listOf(t.text) },
  gives: tickColumns,
  text: sql`
    SELECT ${joined(
      Object.keys(tickColumns).map((name) => raw(`tick.${name}`)),
      ", ",
    )}
    FROM unnest($ids) AS job (id), LATERAL (
      SELECT * FROM job_ticks WHERE job_id = job.id ORDER BY scheduled_at DESC LIMIT 1) AS tick`,
});

type ListedRow = Omit<JobRow, "sealed_env" | "run_context" | "input_payload"> & Partial<Pick<JobRow, "input_payload">>;

function toJobListItem(job: ListedRow, tick: JobTick | undefined): JobListItem {
  const { env_names, file_names, thread_id, adapter_type, runtime_mode, lifecycle, completion_callback_url, tags } =
    runOptions.parse(job.run_options);
  const { id, user_id, agent_id, version, name, schedule, timezone, jitter_ms, overlap, catch_up, status } = job;
  return {
    id,
    object: "job",
    user_id,
    agent_id,
    version,
    name,
    ...("input_payload" in job ? { input_payload: jobRecord.shape.input_payload.parse(job.input_payload) } : {}),
    env_names,
    file_names,
    thread_id: thread_id ?? null,
    adapter_type: adapter_type ?? null,
    runtime_mode,
    lifecycle,
    callback_host: completion_callback_url == null ? null : new URL(completion_callback_url).host,
    schedule,
    timezone,
    jitter_ms,
    overlap,
    catch_up,
    status,
    next_tick_at: job.next_tick_at?.toISOString() ?? null,
    last_tick: tick ? toTickRecord(tick) : null,
    ends_at: job.ends_at?.toISOString() ?? null,
    tags,
    metadata: jobRecord.shape.metadata.parse(job.metadata),
    created_at: job.created_at.toISOString(),
    updated_at: job.updated_at.toISOString(),
  };
}
