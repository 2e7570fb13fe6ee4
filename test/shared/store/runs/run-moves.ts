import { randomUUID } from "node:crypto";
import type { RunStatus, TerminalStatus } from "../../../../shared/domain/run/run-status.ts";
import type { Cause } from "../../../../shared/domain/run/transitions.ts";
import type { StreamEvent } from "../../../../shared/schemas/run-event.ts";
import type { Db } from "../../../../shared/store/client.ts";
import { claimRun } from "../../../../shared/store/runs/queue/claim-run.ts";
import { type Finalization, finalizeRun } from "../../../../shared/store/runs/moves/finalize-run.ts";
import { insertRun, type NewRun } from "../../../../shared/store/runs/queue/insert-run.ts";
import { continueRun } from "../../../../shared/store/runs/moves/continue-run.ts";
import { interruptRun } from "../../../../shared/store/runs/moves/interrupt-run.ts";
import { requestCancel, wakeToCancel } from "../../../../shared/store/runs/moves/request-cancel.ts";
import { giveBackRun, restartRun } from "../../../../shared/store/runs/moves/give-back-run.ts";
import { loseRun, requeueLostRuns } from "../../../../shared/store/runs/moves/lose-run.ts";
import { readOpenInterrupt, resumeRun } from "../../../../shared/store/runs/moves/resume-run.ts";
import { releaseRuns, scheduleRun } from "../../../../shared/store/runs/moves/schedule-run.ts";
import { suspendRun, wakeRuns } from "../../../../shared/store/runs/moves/suspend-run.ts";
import { takeInput } from "../../../../shared/store/inputs/take-input.ts";
import { announceWorker } from "../../../../shared/store/workers/announce-worker.ts";

/** A run of a test, in whose transcript no two events have one place. */
type TestRun = { id: string; nextSeq: () => number };
type Tried = TestRun & { to: RunStatus; attempt: number };

export function makeRun(id: string): TestRun {
  let seq = 1;
  return { id, nextSeq: () => (seq += 1) };
}

/** Nothing times out by itself while the test runs. */
const hourMs = 3_600_000;
const leaseMs = 600_000;

const error = { code: "agent_error", type: null, message: "no luck", traceback: null };

const eventOf = ({ attempt, nextSeq }: Tried, type: string, raise = 0): StreamEvent => ({
  attempt: attempt + raise,
  seq: nextSeq(),
  type,
  data: JSON.stringify({ id: randomUUID() }),
});

async function finalize(db: Db, tried: Tried, cause: Finalization["cause"]): Promise<boolean> {
  const status = tried.to as TerminalStatus;
  const failed = status !== "success";
  const outcome = {
    status,
    result_content: failed ? null : { n: 1 },
    error: failed ? error : null,
    state_snapshot: null,
    usage: null,
  };
  const events = [eventOf(tried, `run.${status}`, cause === "finish" ? 0 : 1)];
  const end = {
    run_id: tried.id,
    cause,
    attempt: tried.attempt,
    outcome,
    duration_ms: 5,
    events,
    reason: null,
    by: null,
  };
  return (await finalizeRun(db, end)).kind === "finalized";
}

/** The worker that runs are granted to when they are accepted. */
const grantee = "worker_that_gave_credit";

/** Makes the worker known, as its sign of life does. */
const announceGrantee = (db: Db) =>
  announceWorker(db, {
    id: grantee,
    host: "host",
    pid: 1,
    software: "1",
    slots: 1,
    busy: 0,
    lease_ms: leaseMs,
    adapters: ["python"],
    pool: "default",
    sandbox: { level: 3, name: "ns", layers: [], missing: [] },
    status: "active",
  });

export const newRun = (id: string): NewRun => ({
  id,
  user_id: "ada",
  agent_id: "agent",
  version: "1.0.0",
  agent_revision: null,
  thread_id: null,
  multitask: "enqueue",
  adapter_type: "python",
  runtime_mode: "standard",
  lifecycle: "serverless",
  pool: "default",
  timeout_ms: 1_000,
  concurrency: null,
  max_attempts: 1_000,
  queue_ttl_ms: hourMs,
  request_options: null,
  key_concurrency: null,
  run_at: null,
  delay_ms: null,
  debounce_key: null,
  input_payload: {},
  history: [],
  state_snapshot: null,
  env_names: [],
  files: [],
  sealed_env: null,
  sealed_files: null,
  request_hash: Buffer.from("hash"),
  completion_callback_url: "http://127.0.0.1/",
  traceparent: null,
  origin: "api",
  by: null,
  replay_of: null,
  job_id: null,
  metadata: {},
  tags: [],
  queued_event: { attempt: 0, seq: 1, type: "run.queued", data: "{}" },
  bounds: { plan_id: null, max_queued_runs: null, max_concurrent_runs: null },
});

type Move = (db: Db, tried: Tried) => Promise<boolean>;

/** Each move, by the statement that the store has for it. Returns whether the run was moved. */
export const moves: Record<Cause | "askToCancel" | "grant", Move> = {
  accept: async (db, { id }) => (await insertRun(db, newRun(id), null)).kind === "inserted",
  grant: async (db, { id }) => {
    await announceGrantee(db);
    const inserted = await insertRun(db, newRun(id), null, grantee);
    return inserted.kind === "inserted" && inserted.grant !== null;
  },
  delay: async (db, { id }) => (await insertRun(db, { ...newRun(id), delay_ms: hourMs }, null)).kind === "inserted",
  claim: async (db, { id }) => {
    const sandbox = { level: 3, name: "ns", layers: [] };
    return (
      (await claimRun(db, id, { id: "worker", leaseMs, sandbox, adapters: ["python"], pool: "default", alone: true }))
        .kind === "claimed"
    );
  },
  finish: (db, tried) => finalize(db, tried, "finish"),
  give_up: (db, tried) => finalize(db, tried, "give_up"),
  complete: (db, tried) => finalize(db, tried, "complete"),
  cancel: (db, tried) => finalize(db, tried, "cancel"),
  expire: (db, tried) => finalize(db, tried, "expire"),
  give_back: (db, run) => giveBackRun(db, run, "drained"),
  restart: (db, run) => restartRun(db, run),
  continue_as: (db, run) => {
    const begin = { key: `continued ${run.attempt}`, sealed_entry: Buffer.of(1) };
    const left = { state_snapshot: null, usage: null, duration_ms: 1, queue_ttl_ms: hourMs };
    return continueRun(db, { run, begin, ...left });
  },
  lose_process: async (db, run) => (await loseRun(db, run, "worker_fault"))?.outcome === "requeued",
  lose: async (db, { id }) => {
    await db.sql.query(
      "UPDATE runs SET lease_until = now() - interval '1 s' WHERE id = $1 AND lease_until IS NOT NULL",
      [id],
    );
    const lost = await requeueLostRuns(db, { limit: 100, leaseMs });
    return lost.some((run) => run.id === id && run.outcome === "requeued");
  },
  retry: async (db, run) => {
    const at = new Date(Date.now() + hourMs);
    const events = [eventOf(run, "run.waiting")];
    return (
      (await scheduleRun(db, { run, at, queue_ttl_ms: hourMs, error, usage: null, duration_ms: 1, events })) !== null
    );
  },
  release: async (db, { id }) => {
    await db.sql.query("UPDATE runs SET scheduled_at = now() WHERE id = $1 AND scheduled_at IS NOT NULL", [id]);
    return (await releaseRuns(db, 100)).includes(id);
  },
  interrupt: async (db, run) => {
    const expires_at = new Date(Date.now() + hourMs).toISOString();
    const interrupt = { id: randomUUID(), reason: "approval", message: null, response_schema: null, expires_at };
    const events = [eventOf(run, "run.interrupted")];
    const asked = {
      run,
      interrupt,
      call_key: null,
      question_key: null,
      state_snapshot: null,
      usage: null,
      duration_ms: 1,
      events,
    };
    return (await interruptRun(db, asked)) !== null;
  },
  resume: async (db, { id }) => {
    const open = await readOpenInterrupt(db, id);
    const answer = { run_id: id, interrupt_id: open?.id ?? "none", response: null, answered_by: null };
    return resumeRun(db, { ...answer, queue_ttl_ms: hourMs });
  },
  suspend: async (db, run) => {
    const events = [eventOf(run, "run.suspended")];
    const rest = {
      seen_place: 1_000_000,
      conditions: [],
      wakes_in_ms: hourMs,
      queue_ttl_ms: hourMs,
      state_snapshot: null,
      usage: null,
    };
    const suspended = await suspendRun(db, { run, ...rest, duration_ms: 1, events });
    return suspended !== null && !suspended.woken;
  },
  wake: async (db, { id }) => {
    await db.sql.query("UPDATE runs SET scheduled_at = now() WHERE id = $1 AND status = 'suspended'", [id]);
    return (await wakeRuns(db, 100, hourMs)).woken.includes(id);
  },
  wake_to_cancel: async (db, { id, attempt }) => (await wakeToCancel(db, [{ id, attempt }], null, hourMs)).length > 0,
  wake_by_input: async (db, { id, attempt }) => {
    // A running run opens the wait; here the run is suspended already.
    await db.sql.query(
      "INSERT INTO run_waits (run_id, key, attempt, kind, names, sealed_entry) VALUES ($1, $2, $3, 'signal', '{go}', '')",
      [id, randomUUID(), attempt],
    );
    const said = { run_id: id, kind: "signal", id: randomUUID(), name: "go", sent_id: null, by: "ada" };
    const limits = { most: 10_000, queue_ttl_ms: hourMs };
    const taken = await takeInput(db, null, { ...said, ...limits, sealed_payload: Buffer.alloc(0) });
    return taken.kind === "kept" && taken.woken;
  },
  askToCancel: (db, { id, attempt, to: status }) =>
    requestCancel(db, { id, attempt, user_id: "ada", worker_id: null, status }, null),
};
