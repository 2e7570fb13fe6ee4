import type { BulkPreview } from "../../schemas/bulk.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { query } from "../query.ts";
import { sql } from "../sql.ts";
import type { Owner } from "../owned-by.ts";
import type { RunFilter } from "../runs/list-runs.ts";
import { whereClause } from "../where-clause.ts";
import { type BulkAction, bulkConditions } from "./bulk-scope.ts";

type BulkScope = { action: BulkAction; owner: Owner; filter: RunFilter };

/** How many runs a bulk operation would be about now. */
export async function countBulk(db: Db, { action, owner, filter }: BulkScope): Promise<number> {
  const where = whereClause(bulkConditions(action, owner, filter, null));
  const rows = await query(db.sql, { total: t.integer }, sql`SELECT count(*)::int AS total FROM runs WHERE ${where}`);
  return rows[0]?.total ?? 0;
}

const exampleColumns = {
  id: t.text,
  agent_id: t.text,
  status: t.enumeration<BulkPreview["examples"][number]["status"]>("run_status"),
  created_at: t.timestamptz,
};

/** The newest runs that a bulk operation would be about now. */
export async function sampleBulk(db: Db, { action, owner, filter }: BulkScope): Promise<BulkPreview["examples"]> {
  const where = whereClause(bulkConditions(action, owner, filter, null));
  const rows = await query(
    db.sql,
    exampleColumns,
    sql`SELECT id, agent_id, status, created_at FROM runs WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT 10`,
  );
  return rows.map(({ created_at, ...run }) => ({ ...run, created_at: created_at.toISOString() }));
}
