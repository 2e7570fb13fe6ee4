import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { inTransaction } from "../in-transaction.ts";
import { offerSignal } from "../journal/give-signal.ts";
import type { Owner } from "../owned-by.ts";
import { moveRuns } from "../runs/moves/move-runs.ts";
import { runIsStill } from "../runs/run-is.ts";
import { delayWake } from "../runs/moves/suspend-run.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

export type NewInput = {
  run_id: string;
  kind: string;
  id: string;
  name: string;
  /** Null: the sender knows its inputs by no id. */
  sent_id: string | null;
  sealed_payload: Buffer;
  /** Who sends it, for the run's timeline. */
  by: string;
  /** How many of the run's inputs may be untaken. */
  most: number;
  queue_ttl_ms: number;
};

export type TakenInput =
  | { kind: "no_run" }
  | { kind: "ended" }
  | { kind: "full" }
  /** `worker_id`: of the worker that holds the run. `woken`: the run was suspended and is queued now. */
  | { kind: "kept"; id: string; accepted_at: Date; repeated: boolean; worker_id: string | null; woken: boolean };

/**
 * Keeps what is said to a run, hands a signal to the oldest wait for it, and queues the run if it was suspended and can go on
 * now, in one transaction. One that has the name and the sender's id of an earlier one changes nothing.
 */
export async function takeInput(db: Db, owner: Owner, input: NewInput): Promise<TakenInput> {
  const { run_id, kind, id, name, sealed_payload, by, most, queue_ttl_ms } = input;
  const sent_id = input.sent_id ?? id;
  return inTransaction(db, async (client) => {
    const run = await lockRun.first(client, { run_id, owner });
    if (!run) return { kind: "no_run" };
    const known = await read.first(client, { run_id, kind, name, sent_id });
    if (known) return { kind: "kept", ...known, repeated: true, worker_id: null, woken: false };
    if (run.has_ended) return { kind: "ended" };
    const kept = await insert.first(client, { run_id, kind, id, name, sent_id, sealed_payload, most });
    if (!kept) return { kind: "full" };
    const taken = kind === "signal" ? await offerSignal(client, run_id, id, name) : null;
    const woken = taken?.goes_on === true && run.is_suspended;
    if (woken) await wake.count(client, { id: run_id, queue_ttl_ms, by, reason: kind });
    else if (taken && run.is_suspended) await delayWake(client, run_id);
    return { kind: "kept", ...kept, repeated: false, worker_id: run.worker_id, woken };
  });
}

/** What follows sees all that others have committed of the run, and nobody else changes it meanwhile. */
const lockRun = statement({
  name: "lock-run-for-input",
  takes: { run_id: t.text, owner: orNull(t.text) },
  gives: { has_ended: t.boolean, is_suspended: t.boolean, worker_id: orNull(t.text) },
  text: sql`
    SELECT ${runIsStill.ended()} AS has_ended, ${runIsStill.suspended()} AS is_suspended, worker_id
    FROM runs WHERE id = $run_id AND ($owner IS NULL OR user_id = $owner) FOR NO KEY UPDATE`,
});

const read = statement({
  name: "read-input",
  takes: { run_id: t.text, kind: t.text, name: t.text, sent_id: t.text },
  gives: { id: t.text, accepted_at: t.timestamptz },
  text: sql`
    SELECT id, created_at AS accepted_at FROM run_inputs
    WHERE run_id = $run_id AND kind = $kind AND name = $name AND sent_id = $sent_id`,
});

const insert = statement({
  name: "keep-input",
  takes: {
    run_id: t.text,
    id: t.text,
    kind: t.text,
    name: t.text,
    sent_id: t.text,
    sealed_payload: t.bytea,
    most: t.integer,
  },
  gives: { id: t.text, accepted_at: t.timestamptz },
  text: sql`
    INSERT INTO run_inputs (run_id, id, kind, name, sent_id, sealed_payload, created_at)
    SELECT $run_id, $id, $kind, $name, $sent_id, $sealed_payload, clock_timestamp()
    WHERE (SELECT count(*) FROM run_inputs WHERE run_id = $run_id AND taken_by IS NULL) < $most
    RETURNING id, created_at AS accepted_at`,
});

const wake = statement({
  name: "wake-run-by-input",
  takes: { id: t.text, queue_ttl_ms: t.double, by: t.text, reason: t.text },
  gives: { id: t.text },
  text: sql`
    WITH ${moveRuns("wake_by_input", {
      set: sql`scheduled_at = NULL, expires_at = now() + $queue_ttl_ms * interval '1 ms'`,
      by: sql`$by`,
      reason: sql`$reason`,
    })}
    SELECT id FROM moved`,
});
