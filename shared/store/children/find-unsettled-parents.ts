import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { runIs } from "../runs/run-is.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Returns runs that wait for others which have ended without telling it. */
export const findUnnotifiedParents = (db: Db, limit: number): Promise<string[]> => idsOf(db, untold, limit);

/** Returns runs that have ended without asking those that end with them. */
export const findEndedParents = (db: Db, limit: number): Promise<string[]> => idsOf(db, leaving, limit);

/** Returns runs that no worker has, and that are to end. One that is queued again ends in its worker: its code may clean up. */
export const findRunsToCancel = (db: Db, limit: number): Promise<string[]> => idsOf(db, cancelling, limit);

const takes = { limit: t.integer };
const gives = { id: t.text };

const untold = statement({
  name: "find-untold-parents",
  takes,
  gives,
  text: sql`
    SELECT DISTINCT parent_run_id AS id FROM runs WHERE tells_parent AND completed_at IS NOT NULL LIMIT $limit`,
});

// The order is that of the index that has no other runs. Until Postgres knows how few these are, it would rather read the whole table.
const leaving = statement({
  name: "find-leaving-parents",
  takes,
  gives,
  text: sql`SELECT id FROM runs WHERE has_children AND completed_at IS NOT NULL ORDER BY id LIMIT $limit`,
});

const cancelling = statement({
  name: "find-cancelling-runs",
  takes,
  gives,
  text: sql`SELECT id FROM runs WHERE cancel_requested_at IS NOT NULL AND ${runIs.aside()}
    AND (attempt = 0 OR NOT ${runIs.queued()}) LIMIT $limit`,
});

const idsOf = async (db: Db, find: typeof untold, limit: number): Promise<string[]> =>
  (await find.rows(db.sql, { limit })).map(({ id }) => id);
