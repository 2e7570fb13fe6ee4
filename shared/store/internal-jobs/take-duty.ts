import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";

/**
 * Takes a periodic duty of the whole fleet. Returns true for one caller within `everyMs`, whatever their number. A caller that
 * is lost with the duty delays it by `everyMs`.
 */
export async function takeDuty(db: Db, name: string, everyMs: number): Promise<boolean> {
  return (await take.first(db.sql, { name, every_ms: everyMs })) !== null;
}

/** A time that lies ahead was written before Postgres' clock was set back. */
const isTaken = (duty: string): Sql =>
  sql`${raw(duty)}.taken_at BETWEEN clock_timestamp() - $every_ms * interval '1 ms' AND clock_timestamp()`;

// `clock_timestamp`: a caller may have waited for another one's row, and `now` is from before that.
const take = statement({
  name: "take-duty",
  takes: { name: t.text, every_ms: t.double },
  gives: { name: t.text },
  text: sql`
    INSERT INTO fleet_duties AS duty (name, taken_at)
    SELECT $name, clock_timestamp() WHERE NOT EXISTS (SELECT 1 FROM fleet_duties WHERE name = $name AND ${isTaken("fleet_duties")})
    ON CONFLICT (name) DO UPDATE SET taken_at = clock_timestamp() WHERE NOT (${isTaken("duty")})
    RETURNING duty.name`,
});
