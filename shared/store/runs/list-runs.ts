import type { RunStatus } from "../../run/run-status.ts";
import type { RunRecord } from "../../schemas/run.ts";
import type { Db } from "../client.ts";
import { toRunRecord, withCallback } from "./run-record.ts";

export type RunFilter = {
  status?: RunStatus | undefined;
  agent_id?: string | undefined;
  version?: string | undefined;
  user_id?: string | undefined;
  thread_id?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
};
export type PageRequest = { limit: number; after?: string | undefined; order: "asc" | "desc" };

/** One page by (created_at, id), and whether there is more. An `after` that names no run gives the first page's rest: none. */
export async function listRuns(
  db: Db,
  filter: RunFilter,
  page: PageRequest,
): Promise<{ data: RunRecord[]; has_more: boolean }> {
  const { since, until, ...equal } = filter;
  const named = Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined));
  const rows = await db.prisma.run.findMany({
    where: { ...named, created_at: { ...(since && { gte: since }), ...(until && { lt: until }) } },
    orderBy: [{ created_at: page.order }, { id: page.order }],
    take: page.limit + 1,
    ...(page.after === undefined ? {} : { cursor: { id: page.after }, skip: 1 }),
    include: withCallback,
  });
  return { data: rows.slice(0, page.limit).map(toRunRecord), has_more: rows.length > page.limit };
}
