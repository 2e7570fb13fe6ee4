import type { Db } from "./client.ts";
import { t } from "./columns.ts";
import { sql } from "./sql.ts";
import { statement } from "./statement.ts";

/** Postgres' time: what a deadline or a signature is made by, since the clocks of processes may be wrong and may jump. */
export async function readClock(db: Pick<Db, "sql">): Promise<Date> {
  const row = await read.first(db.sql);
  if (!row) throw new Error("Postgres didn't tell its time.");
  return row.now;
}

const read = statement({
  name: "read-clock",
  gives: { now: t.timestamptz },
  text: sql`SELECT clock_timestamp() AS now`,
});
