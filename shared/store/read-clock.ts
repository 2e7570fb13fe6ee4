import type { Db } from "./client.ts";

/** Postgres' time: what a deadline or a signature is made by, since the clocks of processes may be wrong and may jump. */
export async function readClock(db: Pick<Db, "sql">): Promise<Date> {
  const { rows } = await db.sql.query<{ now: Date }>(statement);
  const now = rows[0]?.now;
  if (!now) throw new Error("Postgres didn't tell its time.");
  return now;
}

const statement = { name: "read-clock", text: "SELECT clock_timestamp() AS now" };
