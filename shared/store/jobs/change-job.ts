import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { deleteAllOf } from "../delete-all-of.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { Prisma } from "../generated/client.ts";
import { isBelowUserLimit, userLockName } from "../user-limits.ts";
import { queryableOf } from "../prisma-transaction.ts";
import { inTransaction } from "../in-transaction.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { lockJob } from "./due-jobs.ts";
import type { jobColumns, JobRow } from "./job-columns.ts";

type Columns = ReturnType<typeof jobColumns>;
type NewJob = { id: string; user_id: string; agent_id: string; columns: Columns; next_tick_at: Date };

/** Returns false where the user has `most` jobs that have not ended. */
export async function createJob(db: Db, { columns, ...keys }: NewJob, most: number): Promise<boolean> {
  const { user_id } = keys;
  const { input_payload, run_options, run_context, metadata, sealed_env } = columns;
  const now = new Date();
  const data = {
    ...keys,
    ...columns,
    input_payload: input_payload as Prisma.InputJsonObject,
    run_options: run_options as Prisma.InputJsonObject,
    run_context: run_context as Prisma.InputJsonObject,
    metadata: metadata as Prisma.InputJsonObject,
    sealed_env: sealed_env && new Uint8Array(sealed_env),
    created_at: now,
    updated_at: now,
  };
  return db.withMutex(userLockName("jobs", user_id), () =>
    db.prisma.$transaction(async (tx) => {
      if (!(await isBelowUserLimit(queryableOf(tx), { thing: "jobs", user_id, most }))) return false;
      await tx.job.create({ data });
      return true;
    }),
  );
}

/** The row of a job; null when the owner has none such. */
export function findJob(db: Db, id: string, owner: Owner): Promise<JobRow | null> {
  return db.prisma.job.findUnique({ where: { id, ...ownedBy(owner) } });
}

/** How a job stands from now on, and, where that changes, what it runs and when. */
export type JobChange = Pick<JobRow, "status" | "next_tick_at"> & { columns?: Columns };

/**
 * Lets `decide` change a job under the lock under which its ticks are fired, so `decide` sees which ticks were fired by the
 * time of Postgres' clock. It returns null to change nothing. Returns false when the owner has no such job.
 */
export async function changeJob(
  db: Db,
  id: string,
  owner: Owner,
  decide: (job: JobRow, now: Date) => JobChange | null,
): Promise<boolean> {
  return db.withMutex(`job ${id}`, () =>
    inTransaction(db, async (client) => {
      const locked = await lockJob(client, id, owner);
      const change = locked && decide(locked.job, locked.now);
      if (change?.columns) await setColumns.count(client, { id, ...change.columns });
      if (change) {
        const { status, next_tick_at } = change;
        await setStanding.count(client, { id, status, next_tick_at, keeps_env: status !== "cancelled" });
      }
      return locked !== null;
    }),
  );
}

const setColumns = statement({
  name: "set-job-columns",
  takes: {
    id: t.text,
    version: t.text,
    name: orNull(t.text),
    input_payload: t.json(),
    run_options: t.json(),
    run_context: t.json(),
    sealed_env: orNull(t.bytea),
    schedule: orNull(t.text),
    timezone: t.text,
    jitter_ms: orNull(t.integer),
    overlap: t.enumeration<JobRow["overlap"]>("job_overlap"),
    catch_up: t.enumeration<JobRow["catch_up"]>("job_catch_up"),
    ends_at: orNull(t.timestamptz),
    metadata: t.json(),
  },
  text: sql`
    UPDATE jobs SET version = $version, name = $name, input_payload = $input_payload, run_options = $run_options,
      run_context = $run_context,
      sealed_env = $sealed_env, schedule = $schedule, timezone = $timezone, jitter_ms = $jitter_ms, overlap = $overlap, catch_up = $catch_up,
      ends_at = $ends_at, metadata = $metadata
    WHERE id = $id`,
});

const setStanding = statement({
  name: "set-job-standing",
  takes: {
    id: t.text,
    status: t.enumeration<JobRow["status"]>("job_status"),
    next_tick_at: orNull(t.timestamptz),
    keeps_env: t.boolean,
  },
  // A cancelled job fires no more, so nobody needs its values. A completed one can be triggered.
  text: sql`
    UPDATE jobs SET status = $status, next_tick_at = $next_tick_at, updated_at = now(),
      sealed_env = CASE WHEN $keeps_env THEN sealed_env END
    WHERE id = $id`,
});

/** Removes a job with its ticks; its runs stay. Returns false when the owner has no such job. */
export async function deleteJob(db: Db, id: string, owner: Owner): Promise<boolean> {
  const which = { id, ...ownedBy(owner) };
  // Committed first: no tick fires while those of before are deleted.
  const stopped = { status: "cancelled", next_tick_at: null } as const;
  if ((await db.prisma.job.updateMany({ where: which, data: stopped })).count === 0) return false;
  await deleteAllOf(db, "job_ticks", id);
  const { count } = await db.prisma.job.deleteMany({ where: which });
  return count === 1;
}
