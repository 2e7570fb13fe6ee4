import type { Db } from "../client.ts";
import type { Prisma } from "../generated/client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import type { jobColumns, JobRow } from "./job-columns.ts";

type Columns = ReturnType<typeof jobColumns>;
type NewJob = { id: string; user_id: string; agent_id: string; columns: Columns; next_tick_at: Date };

export async function createJob(db: Db, { columns, ...keys }: NewJob): Promise<void> {
  const now = new Date();
  await db.prisma.job.create({ data: { ...keys, ...toData(columns), created_at: now, updated_at: now } });
}

/** The row of a job; null when the owner has none such. */
export function findJob(db: Db, id: string, owner: Owner): Promise<JobRow | null> {
  return db.prisma.job.findUnique({ where: { id, ...ownedBy(owner) } });
}

/** What becomes of a job; what isn't named stays. */
export type JobChange = Partial<Pick<JobRow, "status" | "next_tick_at">> & { columns?: Columns };

/**
 * Lets `decide` change a job, under the lock under which its ticks are fired: so it sees which ticks were, and which
 * weren't. Null: `decide` changes nothing. False: the owner has no such job.
 */
export async function changeJob(
  db: Db,
  id: string,
  owner: Owner,
  decide: (job: JobRow) => JobChange | null,
): Promise<boolean> {
  return db.prisma.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM jobs WHERE id = ${id} FOR UPDATE`;
    const job = await tx.job.findUnique({ where: { id, ...ownedBy(owner) } });
    if (!job) return false;
    const change = decide(job);
    if (!change) return true;
    const { columns, ...standing } = change;
    const data = { ...(columns && toData(columns)), ...standing, updated_at: new Date() };
    await tx.job.update({ where: { id }, data, select: { id: true } });
    return true;
  });
}

/** Removes a job with its ticks; its runs stay. False: the owner has no such job. */
export async function deleteJob(db: Db, id: string, owner: Owner): Promise<boolean> {
  const { count } = await db.prisma.job.deleteMany({ where: { id, ...ownedBy(owner) } });
  return count === 1;
}

const toData = ({ input_payload, run_options, metadata, sealed_env, ...columns }: Columns) => ({
  ...columns,
  input_payload: input_payload as Prisma.InputJsonObject,
  run_options: run_options as Prisma.InputJsonObject,
  metadata: metadata as Prisma.InputJsonObject,
  sealed_env: sealed_env && new Uint8Array(sealed_env),
});
