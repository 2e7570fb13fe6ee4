import { type RunStatus, runStatuses } from "../../../domain/run/run-status.ts";
import type { RunCounts } from "../../../schemas/run.ts";
import type { Db } from "../../client.ts";
import { t } from "../../columns.ts";
import type { Owner } from "../../owned-by.ts";
import { query } from "../../query.ts";
import { joined, literal, type Sql, sql } from "../../sql.ts";
import { whereClause } from "../../where-clause.ts";
import { type RunFilter, runListing } from "./list-runs.ts";

const most = 10_000;

/**
 * Counts the runs of a list by status, each to 10,000. Where a filter has no index, only the newest 10,000 runs are looked at, and
 * `more` is true if there are older ones.
 */
export async function countByStatus(
  db: Db,
  owner: Owner,
  { status, ...filter }: RunFilter,
): Promise<RunCounts["data"]> {
  const { within, filters, unindexed } = runListing(owner, filter);
  const where = whereClause([...within, ...filters]);
  const isScan = unindexed.some(([, value]) => value != null);
  const [horizon] = isScan
    ? await query(
        db.sql,
        { created_at: t.timestamptz },
        sql`SELECT created_at FROM runs WHERE ${where} ORDER BY created_at DESC OFFSET ${literal(most)} LIMIT 1`,
      )
    : [];
  const found = whereClause([...within, ...filters, ...unindexed, ["created_at > ?", horizon?.created_at]]);
  const rows = await query(
    db.sql,
    { status: t.enumeration<RunStatus>("run_status"), count: t.integer },
    joined(
      wanted(status).map((each) => countOf(each, found)),
      " UNION ALL ",
    ),
  );
  return rows.map(({ status: counted, count }) => ({
    status: counted,
    count: Math.min(count, most),
    more: count > most || horizon !== undefined,
  }));
}

const wanted = (status: RunFilter["status"]): readonly RunStatus[] =>
  runStatuses.filter(
    (each) => status === undefined || status === each || (Array.isArray(status) && status.includes(each)),
  );

const countOf = (status: RunStatus, found: Sql): Sql => sql`
  (SELECT ${literal(status)}::run_status AS status, count(*)::int AS count
   FROM (SELECT FROM runs WHERE ${found} AND status = ${literal(status)}::run_status LIMIT ${literal(most + 1)}) AS counted)`;
