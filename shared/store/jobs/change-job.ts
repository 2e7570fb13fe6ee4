import type { jobColumns } from "../../jobs/job-request.ts";
import type { Db } from "../client.ts";
import type { Job, Prisma } from "../generated/client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";

type Columns = ReturnType<typeof jobColumns>;
type NewJob = { id: string; user_id: string; agent_id: string; columns: Columns; next_tick_at: Date };

const toData = ({ input_payload, run_options, metadata, sealed_env, ...columns }: Columns) => ({
  ...columns,
  input_payload: input_payload as Prisma.InputJsonObject,
  run_options: run_options as Prisma.InputJsonObject,
  metadata: metadata as Prisma.InputJsonObject,
  sealed_env: sealed_env && new Uint8Array(sealed_env),
});

export async function createJob(db: Db, { columns, ...keys }: NewJob): Promise<void> {
  const now = new Date();
  await db.prisma.job.create({ data: { ...keys, ...toData(columns), created_at: now, updated_at: now } });
}

/** The row of a job; null when the owner has none such. */
export function findJob(db: Db, id: string, owner: Owner): Promise<Job | null> {
  return db.prisma.job.findUnique({ where: { id, ...ownedBy(owner) } });
}

/** What a patch makes of a job. Without `next_tick_at` its next tick stays. */
export type JobChange = { columns: Columns; next_tick_at?: Date | null };

/** False: somebody else changed the job since it was read; look again. */
export async function updateJob(db: Db, seen: Job, { columns, ...change }: JobChange): Promise<boolean> {
  const { count } = await db.prisma.job.updateMany({
    where: { id: seen.id, updated_at: seen.updated_at, status: seen.status },
    data: { ...toData(columns), ...change, updated_at: laterThan(seen) },
  });
  return count === 1;
}

type Standing = Pick<Job, "status" | "next_tick_at">;

/** The same for what a command makes of it. */
export async function setJobStanding(db: Db, seen: Job, standing: Standing): Promise<boolean> {
  const { count } = await db.prisma.job.updateMany({
    where: { id: seen.id, updated_at: seen.updated_at, status: seen.status },
    data: { ...standing, updated_at: laterThan(seen) },
  });
  return count === 1;
}

/** `updated_at` tells two versions of a row apart, so it never stands still. */
const laterThan = ({ updated_at }: Job) => new Date(Math.max(Date.now(), updated_at.getTime() + 1));

/** Removes a job with its ticks; its runs stay. False: the owner has no such job. */
export async function deleteJob(db: Db, id: string, owner: Owner): Promise<boolean> {
  const { count } = await db.prisma.job.deleteMany({ where: { id, ...ownedBy(owner) } });
  return count === 1;
}
