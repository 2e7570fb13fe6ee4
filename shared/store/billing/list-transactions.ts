import type { TransactionRecord } from "../../schemas/billing.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";
import { type BillingFilter, billingConditions } from "./billing-filter.ts";

export function listTransactions(
  db: Db,
  owner: Owner,
  filter: BillingFilter,
  page: PageRequest,
): Promise<Page<TransactionRecord>> {
  const load = (ids: string[]) => readTransactions(db, ids);
  return readPage(
    db,
    { table: "ledger_transactions", key: "id", ...billingConditions(owner, filter), bytes: [], load },
    page,
  );
}

export async function readTransactions(db: Db, ids: string[]): Promise<TransactionRecord[]> {
  const entries = { include: { account: true }, orderBy: { amount_micro_usd: "desc" } } as const;
  const rows = await db.prisma.ledgerTransaction.findMany({ where: { id: { in: ids } }, include: { entries } });
  return rows.map((row) => {
    const sides = row.entries.map(({ account: { kind }, amount_micro_usd }) => ({
      account: kind,
      amount_micro_usd: Number(amount_micro_usd),
    }));
    const { id, user_id, type, description, source, source_id, created_at } = row;
    const amount_micro_usd = sides.find(({ account }) => account === "wallet")?.amount_micro_usd ?? 0;
    const of = { id, object: "transaction", user_id, type, amount_micro_usd, description, source, source_id } as const;
    return { ...of, entries: sides, created_at: created_at.toISOString() };
  });
}
