import type { BulkPreview } from "../../schemas/bulk.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { query } from "../query.ts";
import { mostLookedAt } from "../read-page.ts";
import { literal, type Sql, sql } from "../sql.ts";
import { whereClause } from "../where-clause.ts";
import { type BulkScope, bulkConditions } from "./bulk-scope.ts";

/** Returns how many runs a bulk operation would be about now, as far as they are looked at. */
export async function countBulk(db: Db, scope: BulkScope): Promise<number> {
  return countIn(db, (await lookedAt(db, scope)).where);
}

/** Returns the same, and the newest of these runs. */
export async function previewBulk(db: Db, scope: BulkScope): Promise<Omit<BulkPreview, "action">> {
  const { where, more } = await lookedAt(db, scope);
  const rows = await query(
    db.sql,
    exampleColumns,
    sql`SELECT id, agent_id, status, created_at FROM runs WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT 10`,
  );
  const examples = rows.map(({ created_at, ...run }) => ({ ...run, created_at: created_at.toISOString() }));
  return { total: await countIn(db, where), more, examples };
}

const exampleColumns = {
  id: t.text,
  agent_id: t.text,
  status: t.enumeration<BulkPreview["examples"][number]["status"]>("run_status"),
  created_at: t.timestamptz,
};

async function countIn(db: Db, where: Sql): Promise<number> {
  const rows = await query(db.sql, { total: t.integer }, sql`SELECT count(*)::int AS total FROM runs WHERE ${where}`);
  return rows[0]?.total ?? 0;
}

/**
 * Returns the operation's conditions. Where no index serves one of them, only the newest 10,000 runs are looked at, as in lists.
 * `more`: there are older ones.
 */
async function lookedAt(db: Db, { action, owner, filter }: BulkScope): Promise<{ where: Sql; more: boolean }> {
  const { indexed, unindexed } = bulkConditions(action, owner, filter, null);
  if (unindexed.every(([, value]) => value == null)) return { where: whereClause(indexed), more: false };
  const [horizon] = await query(
    db.sql,
    { created_at: t.timestamptz },
    sql`SELECT created_at FROM runs WHERE ${whereClause(indexed)} ORDER BY created_at DESC OFFSET ${literal(mostLookedAt)} LIMIT 1`,
  );
  const where = whereClause([...indexed, ...unindexed, ["created_at > ?", horizon?.created_at]]);
  return { where, more: horizon !== undefined };
}
