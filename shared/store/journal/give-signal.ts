import type pg from "pg";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { inTransaction } from "../in-transaction.ts";
import type { HeldRun } from "../runs/moves/renew-leases.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { endsOfWaits, endWaits, lockHeld } from "./end-waits.ts";

/**
 * Ends a wait that the agent's code gave up: nothing answers it any more. A signal that it had taken goes back, to the next wait
 * for it, and so do messages. `child_id`: the run that it was for. Returns null when the attempt is stale.
 */
export async function abandonWait(
  db: Db,
  { id, attempt }: HeldRun,
  key: string,
): Promise<{ child_id: string | null } | null> {
  return inTransaction(db, async (client) => {
    if (!(await lockHeld.first(client, { id, attempt }))) return null;
    const open = await abandonOpen.first(client, { id, key });
    if (open) return open;
    const given = await giveBack.first(client, { id, key });
    if (given?.name != null) await offerSignal(client, id, given.input_id ?? "", given.name);
    return { child_id: null };
  });
}

const abandonOpen = statement({
  name: "abandon-wait",
  takes: { id: t.text, key: t.text },
  gives: { child_id: orNull(t.text) },
  text: sql`
    WITH ending AS (
      SELECT run_id, key, 'abandoned' AS kind, NULL::text AS input_id, 1 AS nth FROM run_waits
      WHERE run_id = $id AND key = $key
    ), ${endWaits("worker")}
    SELECT child_id FROM gone`,
});

const giveBack = statement({
  name: "abandon-ended-wait",
  takes: { id: t.text, key: t.text },
  gives: { input_id: orNull(t.text), name: orNull(t.text) },
  text: sql`
    WITH entry AS (
      SELECT run_id, key, input_id FROM journal_entries
      WHERE run_id = $id AND key = $key AND (kind IN ${endsOfWaits} OR kind = 'messages')
    ), abandoned AS (
      UPDATE journal_entries SET kind = 'abandoned', input_id = NULL FROM entry
      WHERE journal_entries.run_id = entry.run_id AND journal_entries.key = entry.key
    ), given_back AS (
      UPDATE run_inputs SET taken_by = NULL FROM entry
      WHERE run_inputs.run_id = entry.run_id AND run_inputs.taken_by = entry.key
      RETURNING run_inputs.id, run_inputs.name
    )
    SELECT entry.input_id, given_back.name FROM entry LEFT JOIN given_back ON given_back.id = entry.input_id`,
});

/**
 * Gives a kept signal to the oldest wait for it. `goes_on`: whether a suspended run's code can go on then. Returns null when there
 * is none. The caller holds the run's lock.
 */
export async function offerSignal(
  client: pg.PoolClient,
  run_id: string,
  input_id: string,
  name: string,
): Promise<{ goes_on: boolean } | null> {
  return offer.first(client, { run_id, input_id, name });
}

const offer = statement({
  name: "offer-signal",
  takes: { run_id: t.text, input_id: t.text, name: t.text },
  gives: { goes_on: t.boolean },
  text: sql`
    WITH ending AS (
      SELECT run_id, key, 'signal' AS kind, $input_id AS input_id, 1 AS nth FROM run_waits
      WHERE run_id = $run_id AND $name = ANY(names) AND (due_at IS NULL OR due_at > clock_timestamp())
      ORDER BY number LIMIT 1
    ), ${endWaits("api")}
    SELECT EXISTS (SELECT 1 FROM goes_on) AS goes_on FROM gone`,
});
