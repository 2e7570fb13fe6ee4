import type { Db } from "../client.ts";
import type { Prisma } from "../generated/client.ts";
import { hasRoom, queryableOf, turnOf } from "../has-room.ts";
import { inTransaction } from "../in-transaction.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { lockJob } from "./due-jobs.ts";
import type { jobColumns, JobRow } from "./job-columns.ts";

type Columns = ReturnType<typeof jobColumns>;
type NewJob = { id: string; user_id: string; agent_id: string; columns: Columns; next_tick_at: Date };

/** Returns false where the user has `most` jobs that have not ended. */
export async function createJob(db: Db, { columns, ...keys }: NewJob, most: number): Promise<boolean> {
  const { user_id } = keys;
  const { input_payload, run_options, metadata, sealed_env } = columns;
  const now = new Date();
  const data = {
    ...keys,
    ...columns,
    input_payload: input_payload as Prisma.InputJsonObject,
    run_options: run_options as Prisma.InputJsonObject,
    metadata: metadata as Prisma.InputJsonObject,
    sealed_env: sealed_env && new Uint8Array(sealed_env),
    created_at: now,
    updated_at: now,
  };
  return db.inTurn(turnOf("jobs", user_id), () =>
    db.prisma.$transaction(async (tx) => {
      if (!(await hasRoom(queryableOf(tx), { thing: "jobs", user_id, most }))) return false;
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
 * Lets `decide` change a job, under the lock under which its ticks are fired: so it sees which ticks were, and which
 * weren't, at what time by Postgres' clock. Null: `decide` changes nothing. False: the owner has no such job.
 */
export async function changeJob(
  db: Db,
  id: string,
  owner: Owner,
  decide: (job: JobRow, now: Date) => JobChange | null,
): Promise<boolean> {
  return inTransaction(db, async (client) => {
    const locked = await lockJob(client, id, owner);
    const change = locked && decide(locked.job, locked.now);
    if (change?.columns) await client.query(setColumns, [id, ...valuesOf(change.columns)]);
    if (change) await client.query(setStanding, [id, change.status, change.next_tick_at]);
    return locked !== null;
  });
}

const setColumns = `
  UPDATE jobs SET version = $2, name = $3, input_payload = $4, run_options = $5, sealed_env = $6, schedule = $7,
    timezone = $8, overlap = $9::job_overlap, catch_up = $10::job_catch_up, ends_at = $11, metadata = $12
  WHERE id = $1`;
const setStanding = "UPDATE jobs SET status = $2::job_status, next_tick_at = $3, updated_at = now() WHERE id = $1";

const valuesOf = (columns: Columns): unknown[] => [
  columns.version,
  columns.name,
  JSON.stringify(columns.input_payload),
  JSON.stringify(columns.run_options),
  columns.sealed_env,
  columns.schedule,
  columns.timezone,
  columns.overlap,
  columns.catch_up,
  columns.ends_at,
  JSON.stringify(columns.metadata),
];

/** Removes a job with its ticks; its runs stay. False: the owner has no such job. */
export async function deleteJob(db: Db, id: string, owner: Owner): Promise<boolean> {
  const { count } = await db.prisma.job.deleteMany({ where: { id, ...ownedBy(owner) } });
  return count === 1;
}
