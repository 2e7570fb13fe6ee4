import type { Db, Queryable } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { runIsStill } from "../runs/run-is.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** A wait that is open, of a run that starts again. */
const openWaitRow = {
  key: t.text,
  kind: t.text,
  names: listOf(t.text),
  attempt: t.integer,
  sealed_entry: t.bytea,
  due_in_ms: orNull(t.double),
};

/** Returns a run's open waits, the oldest first. */
export async function readWaits(db: Db, run_id: string) {
  return read.rows(db.sql, { run_id });
}

const read = statement({
  name: "read-waits",
  takes: { run_id: t.text },
  gives: openWaitRow,
  text: sql`
    SELECT key, kind, names, attempt, sealed_entry,
      (extract(epoch FROM due_at - clock_timestamp()) * 1000)::double precision AS due_in_ms
    FROM run_waits WHERE run_id = $run_id ORDER BY number`,
});

/** Forgets what a run that has ended waited for. */
export async function forgetWaits(db: { sql: Queryable }, run_id: string): Promise<void> {
  await forget.count(db.sql, { run_id });
}

const forget = statement({
  name: "forget-waits",
  takes: { run_id: t.text },
  text: sql`DELETE FROM run_waits WHERE run_id = $run_id AND EXISTS (SELECT 1 FROM runs WHERE id = $run_id AND ${runIsStill.ended()})`,
});
