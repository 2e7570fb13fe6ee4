import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { inTransaction } from "../in-transaction.ts";
import type { HeldRun } from "../runs/moves/renew-leases.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { dueWaits, endWaits, lockHeld } from "./end-waits.ts";

/** Ends the waits of a running attempt whose time has come. Returns when the next one ends; null: none has a time, or it is stale. */
export async function endDueWaits(db: Db, run: HeldRun): Promise<number | null> {
  return inTransaction(db, async (client) => {
    if (!(await lockHeld.first(client, { id: run.id, attempt: run.attempt }))) return null;
    await endDue.count(client, { id: run.id });
    return (await nextDue.first(client, { id: run.id }))?.due_in_ms ?? null;
  });
}

const endDue = statement({
  name: "end-due-waits",
  takes: { id: t.text },
  gives: { place: t.integer },
  text: sql`WITH ${dueWaits(sql`(SELECT $id AS id)`)}, ${endWaits("worker")} SELECT last_place AS place FROM counted`,
});

const nextDue = statement({
  name: "next-due-wait",
  takes: { id: t.text },
  gives: { due_in_ms: orNull(t.double) },
  text: sql`
    SELECT (extract(epoch FROM min(due_at) - clock_timestamp()) * 1000)::double precision AS due_in_ms
    FROM run_waits WHERE run_id = $id`,
});
