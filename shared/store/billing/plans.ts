import type { PlanBody, PlanRecord } from "../../schemas/plan.ts";
import type { Db } from "../client.ts";
import type { Plan } from "../generated/client.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";
import { isPrismaUniqueViolation } from "../sql-faults.ts";

/** Makes a plan, or makes it anew. Returns null when another one has its provider's price. */
export async function putPlan(db: Db, id: string, body: PlanBody): Promise<PlanRecord | null> {
  const { provider_price_id = null, weekly_runs = null, weekly_micro_usd = null, ...rest } = body;
  const { max_concurrent_runs = null, max_queued_runs = null, requests_per_minute = null, ...plain } = rest;
  const bounds = { weekly_runs, weekly_micro_usd, max_concurrent_runs, max_queued_runs, requests_per_minute };
  const data = { ...plain, ...bounds, provider_price_id, updated_at: new Date() };
  try {
    return toPlanRecord(await db.prisma.plan.upsert({ where: { id }, create: { id, ...data }, update: data }));
  } catch (error) {
    if (isPrismaUniqueViolation(error)) return null;
    throw error;
  }
}

export async function readPlan(db: Db, id: string): Promise<PlanRecord | null> {
  const row = await db.prisma.plan.findUnique({ where: { id } });
  return row && toPlanRecord(row);
}

export function listPlans(db: Db, page: PageRequest): Promise<Page<PlanRecord>> {
  const load = async (ids: string[]) =>
    (await db.prisma.plan.findMany({ where: { id: { in: ids } } })).map(toPlanRecord);
  return readPage(db, { table: "plans", key: "id", within: [], bytes: [], load }, page);
}

const toPlanRecord = ({ price_micro_usd, second_micro_usd, weekly_micro_usd, ...row }: Plan): PlanRecord => ({
  object: "plan",
  ...row,
  price_micro_usd: Number(price_micro_usd),
  second_micro_usd: Number(second_micro_usd),
  weekly_micro_usd: weekly_micro_usd === null ? null : Number(weekly_micro_usd),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
