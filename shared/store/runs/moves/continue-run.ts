import type { Usage } from "../../../schemas/run-event.ts";
import type { Db } from "../../client.ts";
import { orNull, t } from "../../columns.ts";
import { inTransaction } from "../../in-transaction.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { moveRuns } from "./move-runs.ts";
import type { HeldRun } from "./renew-leases.ts";

/** `begin`: the entry with which the run's journal begins anew. `usage`: of all its attempts together. */
type ContinueRun = {
  run: HeldRun;
  begin: { key: string; sealed_entry: Buffer };
  state_snapshot: string | null;
  usage: Usage | null;
  duration_ms: number;
  queue_ttl_ms: number;
};

/**
 * Puts a run back whose code goes on as a fresh run, and empties its journal. What is said to the run and was not taken stays. Returns
 * false when the attempt is stale or somebody has asked to cancel the run.
 */
export async function continueRun(db: Db, { run, begin, ...rest }: ContinueRun): Promise<boolean> {
  const { id, attempt } = run;
  return inTransaction(db, async (client) => {
    if (!(await goOn.first(client, { id, attempt, ...rest }))) return false;
    await beginAnew.count(client, { id, attempt, ...begin });
    return true;
  });
}

const goOn = statement({
  name: "continue-run",
  takes: {
    id: t.text,
    attempt: t.integer,
    state_snapshot: orNull(t.json<string>()),
    usage: orNull(t.json<Usage>()),
    duration_ms: t.integer,
    queue_ttl_ms: t.double,
  },
  gives: { id: t.text },
  text: sql`
    WITH ${moveRuns("continue_as", {
      set: sql`state_snapshot = coalesce($state_snapshot, state_snapshot), usage = $usage, duration_ms = $duration_ms,
        lost_attempts = 0, failed_attempts = 0, expires_at = now() + $queue_ttl_ms * interval '1 ms'`,
    })}
    SELECT id FROM moved`,
});

/** The same call may have the same key again: what an earlier one has taken, and who allowed it, is the earlier one's. */
const beginAnew = statement({
  name: "begin-journal-anew",
  takes: { id: t.text, attempt: t.integer, key: t.text, sealed_entry: t.bytea },
  text: sql`
    WITH entries AS (
      DELETE FROM journal_entries WHERE run_id = $id
    ), waits AS (
      DELETE FROM run_waits WHERE run_id = $id
    ), checkpoints AS (
      DELETE FROM run_checkpoints WHERE run_id = $id
    ), calls AS (
      DELETE FROM run_open_calls WHERE run_id = $id
    ), inputs AS (
      UPDATE run_inputs SET taken_by = $key WHERE run_id = $id AND taken_by IS NOT NULL
    ), approvals AS (
      UPDATE interrupts SET call_key = call_key || ' ' || $key WHERE run_id = $id AND call_key IS NOT NULL
    ), counted AS (
      INSERT INTO run_journals AS journal (run_id, last_place, bytes) VALUES ($id, 1, length($sealed_entry))
      ON CONFLICT (run_id) DO UPDATE SET last_place = journal.last_place + 1, told_place = journal.last_place + 1,
        bytes = excluded.bytes, lost_before = 0
      RETURNING last_place
    )
    INSERT INTO journal_entries (run_id, key, place, attempt, kind, writer, sealed_entry)
    SELECT $id, $key, last_place, $attempt, 'continued', 'worker', $sealed_entry FROM counted`,
});
