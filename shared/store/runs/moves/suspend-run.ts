import type { StreamEvent, Usage } from "../../../schemas/run-event.ts";
import type { Db, Queryable } from "../../client.ts";
import { listOf, orNull, t } from "../../columns.ts";
import { inTransaction } from "../../in-transaction.ts";
import { parameterRows } from "../../parameter-rows.ts";
import { dueWaits, endsOfWaits, endWaits, hasFailed } from "../../journal/end-waits.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { moveRuns } from "./move-runs.ts";
import { nextOfAgent, nextOfThread } from "./next-waiting.ts";
import type { HeldRun } from "./renew-leases.ts";
import { runIs, runIsStill } from "../run-is.ts";
import { chunkColumns, chunkOf, givenChunk, insertChunks } from "../transcript/transcript-chunk.ts";

export type Suspension = {
  run: HeldRun;
  /** The last entry of the run's journal that its process was told of. */
  seen_place: number;
  /** When it is woken at the latest, beside its waits' own times; null: by those alone. */
  wakes_in_ms: number | null;
  /** Of which waits more than one must have ended before it is woken. Each wait of none wakes it alone. */
  conditions: readonly Condition[];
  queue_ttl_ms: number;
  state_snapshot: string | null;
  /** Of all its attempts together. */
  usage: Usage | null;
  duration_ms: number;
  /** What the transcript doesn't hold yet, `run.suspended` last. */
  events: StreamEvent[];
};

/** Met once at most `most_open` of the waits are open, or one has failed. `keys`: of the waits' entries. */
export type Condition = { keys: readonly string[]; most_open: number; or_failed: boolean };

export type SuspendOutcome = {
  /** A run that waited for this one, of its thread or its agent. */
  next_run_id: string | null;
  /** True when something had come that the process was not told of: the run is queued again. */
  woken: boolean;
};

/**
 * Puts a run aside that only waits for what the service knows: its process was ended, its slot is free, its attempt is over. What
 * came while the process was ended wakes the run in the same transaction. Returns null when the attempt is stale or somebody has
 * asked to cancel the run.
 */
export async function suspendRun(db: Db, suspension: Suspension): Promise<SuspendOutcome | null> {
  const { run, seen_place, wakes_in_ms, conditions, queue_ttl_ms, events, ...rest } = suspension;
  const { id, attempt } = run;
  return inTransaction(db, async (client) => {
    // Whoever ends one of its waits locks the row: what it has written then is seen by the statements after this one.
    if (!(await lock.first(client, { id }))) return null;
    const moved = await suspend.first(client, { id, attempt, seen_place, wakes_in_ms, ...rest, ...chunkOf(events) });
    if (!moved) return null;
    const parts = part.listsOf(partsOf(conditions));
    await setConditions.count(client, { id, ...parts });
    const woken = (await unseen.first(client, { id, seen_place, ...parts })) !== null;
    if (woken) await wakeNow.count(client, { id, queue_ttl_ms });
    return { next_run_id: moved.next_run_id, woken };
  });
}

const lock = statement({
  name: "lock-run",
  takes: { id: t.text },
  gives: { id: t.text },
  text: sql`SELECT id FROM runs WHERE id = $id FOR UPDATE`,
});

const suspend = statement({
  name: "suspend-run",
  takes: {
    id: t.text,
    attempt: t.integer,
    seen_place: t.integer,
    wakes_in_ms: orNull(t.double),
    state_snapshot: orNull(t.json<string>()),
    usage: orNull(t.json<Usage>()),
    duration_ms: t.integer,
    ...chunkColumns,
  },
  gives: { next_run_id: orNull(t.text) },
  text: sql`
    WITH ${moveRuns("suspend", {
      set: sql`last_seq = $last_seq, state_snapshot = coalesce($state_snapshot, state_snapshot), usage = $usage,
        duration_ms = $duration_ms, lost_attempts = 0, scheduled_at = least(
          (SELECT min(due_at) FROM run_waits WHERE run_id = $id), clock_timestamp() + $wakes_in_ms * interval '1 ms')`,
      returning: sql`runs.user_id, runs.agent_id, runs.thread_id, runs.concurrency, runs.concurrency_key`,
    })}, transcript AS (
      ${insertChunks(sql`SELECT id, attempt, ${givenChunk} FROM moved`)}
    ), told AS (
      UPDATE run_journals SET told_place = $seen_place, lost_before = 0 FROM moved WHERE run_journals.run_id = moved.id
    )
    SELECT coalesce(${nextOfThread("moved")}, ${nextOfAgent("moved")}) AS next_run_id
    FROM moved`,
});

/** A wait of a condition. */
const part = parameterRows({ key: t.text, condition: t.integer, most_open: t.integer, or_failed: t.boolean });

const partsOf = (conditions: readonly Condition[]) =>
  conditions.flatMap(({ keys, ...rest }, condition) => keys.map((key) => ({ key, condition, ...rest })));

/** Those of an earlier suspension are forgotten. */
const setConditions = statement({
  name: "set-conditions-of-waits",
  takes: { id: t.text, ...part.takes },
  text: sql`
    WITH ${part.cte}
    UPDATE run_waits SET condition = input.condition, most_open = input.most_open, or_failed = input.or_failed
    FROM run_waits AS wait LEFT JOIN input USING (key)
    WHERE wait.run_id = $id AND (wait.condition IS NOT NULL OR input.condition IS NOT NULL)
      AND run_waits.run_id = wait.run_id AND run_waits.key = wait.key`,
});

/** What a wait has ended as that the process was not told of, and with which the code can go on. */
const unseen = statement({
  name: "find-unseen-end-of-wait",
  takes: { id: t.text, seen_place: t.integer, ...part.takes },
  gives: { place: t.integer },
  text: sql`
    WITH ${part.cte}
    SELECT place FROM journal_entries AS entry LEFT JOIN input USING (key)
    WHERE run_id = $id AND place > $seen_place AND kind IN ${endsOfWaits} AND (input.condition IS NULL
      OR (or_failed AND ${hasFailed(sql`kind`)})
      OR most_open >= (SELECT count(*) FROM run_waits WHERE run_id = $id AND condition = input.condition))
    LIMIT 1`,
});

const wakeNow = statement({
  name: "wake-run",
  takes: { id: t.text, queue_ttl_ms: t.double },
  gives: { id: t.text },
  text: sql`
    WITH ${moveRuns("wake", {
      set: sql`scheduled_at = NULL, expires_at = now() + $queue_ttl_ms * interval '1 ms'`,
      reason: sql`'arrived'`,
    })}
    SELECT id FROM moved`,
});

/**
 * Ends the waits of suspended runs whose time has come, and queues the runs that can go on then. Returns their ids. `due`: how many
 * runs had something due. Any number of callers: SKIP LOCKED parts the rows.
 */
export async function wakeRuns(db: Db, limit: number, queue_ttl_ms: number): Promise<{ due: number; woken: string[] }> {
  return inTransaction(db, async (client) => {
    const ids = (await lockDue.rows(client, { limit })).map(({ id }) => id);
    if (ids.length === 0) return { due: 0, woken: [] };
    const rows = await wakeDue.rows(client, { ids, queue_ttl_ms });
    return { due: ids.length, woken: rows.map(({ id }) => id) };
  });
}

/** The statement after it sees all that others have committed of these runs. */
const lockDue = statement({
  name: "lock-due-runs",
  takes: { limit: t.integer },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM runs WHERE ${runIs.suspended()} AND scheduled_at <= now()
    ORDER BY scheduled_at LIMIT $limit FOR UPDATE SKIP LOCKED`,
});

/** A run that has none of its waits ended by now is due by itself. */
const wakeDue = statement({
  name: "wake-runs",
  takes: { ids: listOf(t.text), queue_ttl_ms: t.double },
  gives: { id: t.text },
  text: sql`
    WITH due AS (
      SELECT id FROM unnest($ids) AS id
    ), ${dueWaits(sql`due`)}, ${endWaits("service")}, going AS (
      SELECT id FROM due WHERE id IN (SELECT run_id FROM goes_on) OR id NOT IN (SELECT run_id FROM gone)
    ), delayed AS (
      UPDATE runs SET scheduled_at = (
        SELECT min(due_at) FROM run_waits WHERE run_id = runs.id AND key NOT IN (SELECT key FROM gone WHERE run_id = runs.id)
      ) FROM due WHERE runs.id = due.id AND due.id NOT IN (SELECT id FROM going)
    ), ${moveRuns("wake", {
      source: "going",
      set: sql`scheduled_at = NULL, expires_at = now() + $queue_ttl_ms * interval '1 ms'`,
      reason: sql`'timer'`,
    })}
    SELECT id FROM moved`,
});

/** Fits the time when a suspended run is woken at the latest to the waits that it has left. */
export async function delayWake(client: Queryable, id: string): Promise<void> {
  await delay.count(client, { id });
}

const delay = statement({
  name: "delay-wake",
  takes: { id: t.text },
  text: sql`
    UPDATE runs SET scheduled_at = (SELECT min(due_at) FROM run_waits WHERE run_id = $id)
    WHERE id = $id AND ${runIsStill.suspended()}`,
});
