import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { deleteRuns } from "../runs/delete-run.ts";
import { raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { agingAudit, agingJobs, agingRows, agingRuns, type RetentionPolicy, spentRows } from "./retention-policy.ts";

/** Deletes at most `limit` rows of a kind that are older than so many days. Returns how many. */
export async function purgeRows(db: Db, { name }: RetentionPolicy, days: number, limit: number): Promise<number> {
  return statementsOf(name).purge.count(db.sql, { days, limit });
}

export async function countOldRows(db: Db, { name }: RetentionPolicy, days: number): Promise<number> {
  return (await statementsOf(name).count.first(db.sql, { days }))?.count ?? 0;
}

const statements = new Map(
  [...agingRows, ...spentRows, agingAudit, agingRuns, agingJobs].map(({ name, table, key, isOld }) => {
    const columns = raw(key);
    const purge = statement({
      name: `purge-${name.replaceAll("_", "-")}`,
      takes: { days: t.double, limit: t.integer },
      text: deletionOf(table, columns, sql`SELECT ${columns} FROM ${raw(table)} WHERE ${isOld} LIMIT $limit`),
    });
    const count = statement({
      name: `count-old-${name.replaceAll("_", "-")}`,
      takes: { days: t.double },
      gives: { count: t.integer },
      text: sql`SELECT count(*)::int AS count FROM ${raw(table)} WHERE ${isOld}`,
    });
    return [name, { purge, count }];
  }),
);

/** Rows of other tables go with a run. */
function deletionOf(table: string, key: Sql, which: Sql): Sql {
  if (table === agingRuns.table) return sql`${deleteRuns(which)} SELECT FROM gone`;
  return sql`DELETE FROM ${raw(table)} WHERE (${key}) IN (${which})`;
}

function statementsOf(name: string) {
  const found = statements.get(name);
  if (!found) throw new Error(`There is no retention policy ${name}.`);
  return found;
}
