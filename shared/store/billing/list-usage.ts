import type { UsageRecordOut } from "../../schemas/billing.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";
import { type BillingFilter, billingConditions } from "./billing-filter.ts";

export function listUsage(
  db: Db,
  owner: Owner,
  filter: BillingFilter,
  page: PageRequest,
): Promise<Page<UsageRecordOut>> {
  const load = async (ids: string[]): Promise<UsageRecordOut[]> => {
    const omit = { source: true, source_id: true, plan_id: true } as const;
    const rows = await db.prisma.usageRecord.findMany({ where: { id: { in: ids } }, omit });
    return rows.map((row) => ({
      object: "usage",
      ...row,
      duration_ms: Number(row.duration_ms),
      cpu_ms: Number(row.cpu_ms),
      input_tokens: Number(row.input_tokens),
      output_tokens: Number(row.output_tokens),
      cost_micro_usd: Number(row.cost_micro_usd),
      created_at: row.created_at.toISOString(),
      booked_at: row.booked_at?.toISOString() ?? null,
    }));
  };
  return readPage(
    db,
    { table: "usage_records", key: "id", ...billingConditions(owner, filter), bytes: [], load },
    page,
  );
}
