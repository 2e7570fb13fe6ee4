import type { Queryable } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

export type Tick = { job_id: string; at: Date; manual: boolean };

/** Takes a tick for the transaction that fires it. Returns false when it was fired before. */
export async function takeTick(client: Queryable, { job_id, at, manual }: Tick): Promise<boolean> {
  return (await take.count(client, { job_id, at, manual })) === 1;
}

const take = statement({
  name: "take-tick",
  takes: { job_id: t.text, at: t.timestamptz, manual: t.boolean },
  text: sql`
    INSERT INTO job_ticks (job_id, scheduled_at, manual, outcome) VALUES ($job_id, $at, $manual, 'fired')
    ON CONFLICT (job_id, scheduled_at, manual) DO NOTHING`,
});

/** The same for a tick of the past: also one that was skipped or missed is taken, once more. */
export async function takePastTick(client: Queryable, { job_id, at }: Omit<Tick, "manual">): Promise<boolean> {
  return (await takePast.count(client, { job_id, at })) === 1;
}

const takePast = statement({
  name: "take-past-tick",
  takes: { job_id: t.text, at: t.timestamptz },
  text: sql`
    INSERT INTO job_ticks (job_id, scheduled_at, outcome) VALUES ($job_id, $at, 'fired')
    ON CONFLICT (job_id, scheduled_at, manual) DO UPDATE SET outcome = 'fired' WHERE job_ticks.outcome <> 'fired'`,
});

/** What became of a tick: its run, or why there is none. */
export type Settlement = { run_id: string; reason: null } | { run_id: null; reason: string };

export async function settleTick(client: Queryable, { job_id, at, manual }: Tick, end: Settlement): Promise<void> {
  await settle.count(client, { job_id, at, manual, run_id: end.run_id, reason: end.reason });
}

const settle = statement({
  name: "settle-tick",
  takes: { job_id: t.text, at: t.timestamptz, manual: t.boolean, run_id: orNull(t.text), reason: orNull(t.text) },
  text: sql`
    UPDATE job_ticks SET run_id = $run_id, reason = $reason,
      outcome = CASE WHEN $reason IS NULL THEN 'fired' ELSE 'skipped' END::tick_outcome
    WHERE job_id = $job_id AND scheduled_at = $at AND manual = $manual`,
});

/** Notes ticks that no worker was there to fire. */
export async function recordMissed(client: Queryable, jobId: string, ticks: Date[]): Promise<void> {
  if (ticks.length > 0) await missed.count(client, { job_id: jobId, ticks });
}

const missed = statement({
  name: "record-missed-ticks",
  takes: { job_id: t.text, ticks: listOf(t.timestamptz) },
  text: sql`
    INSERT INTO job_ticks (job_id, scheduled_at, outcome) SELECT $job_id, at, 'missed' FROM unnest($ticks) AS at
    ON CONFLICT (job_id, scheduled_at, manual) DO NOTHING`,
});
