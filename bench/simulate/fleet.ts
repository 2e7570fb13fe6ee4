import { placeEvent } from "../../shared/domain/run/stream-event.ts";
import { terminalEvent } from "../../shared/domain/run/terminal-event.ts";
import { newId } from "../../shared/platform/ids.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import { createBatches } from "../../shared/store/batch.ts";
import { bookAllUsage } from "../../shared/store/billing/book-usage.ts";
import type { Db } from "../../shared/store/client.ts";
import { takeDuty } from "../../shared/store/internal-jobs/take-duty.ts";
import { appendTranscript } from "../../shared/store/runs/transcript/append-transcript.ts";
import { claimRun } from "../../shared/store/runs/queue/claim-run.ts";
import { finalizeRun } from "../../shared/store/runs/moves/finalize-run.ts";
import { findUnclaimedRuns } from "../../shared/store/runs/queue/find-queued-runs.ts";
import { insertRun, type NewRun } from "../../shared/store/runs/queue/insert-run.ts";
import { renewLeases } from "../../shared/store/runs/moves/renew-leases.ts";
import { requeueLostRuns } from "../../shared/store/runs/moves/lose-run.ts";
import { releaseRuns } from "../../shared/store/runs/moves/schedule-run.ts";
import { wakeRuns } from "../../shared/store/runs/moves/suspend-run.ts";
import { announceWorker } from "../../shared/store/workers/announce-worker.ts";
import type { Size } from "./sizes.ts";

/** Of all workers together, as behind a pooler. */
export const connections = 16;

/** Longer than a size is simulated for: no lease ends, however slow this machine is. */
const leaseMs = 500_000;
const hourMs = 3_600_000;
const sandbox = { level: 3, name: "ns", layers: [] };
const taker = { adapters: ["python"], pool: "default" };

type LiveRun = { id: string; seq: number };
type Worker = { id: string; db: Db; runs: LiveRun[] };

/** Workers that do nothing but what Postgres sees of them: by the statements of the service, each with batches of its own. */
export type Fleet = {
  /** Accepts and claims as many runs for each worker as it is to have. */
  fill(): Promise<void>;
  /** Renews the leases that are due in a second: a worker's once in a third of a lease of 10 s. */
  renew(): Promise<void>;
  /** Signs of life, polls of the queue, and tries to take each duty. */
  tick(): Promise<void>;
  /** The duties themselves, which one worker has. */
  reconcile(): Promise<void>;
  book(): Promise<void>;
  /** Each live run says something. */
  speak(): Promise<void>;
  /** `count` runs end, and as many are accepted and claimed. */
  turn(count: number): Promise<void>;
};

export function createFleet(db: Db, { workers: count, live }: Size): Fleet {
  const workers = Array.from({ length: count }, (_, nth): Worker => ({
    id: newId("worker"),
    db: { ...db, inBatches: createBatches(db.sql) },
    runs: Array.from({ length: Math.floor(((nth + 1) * live) / count) - Math.floor((nth * live) / count) }, newRun),
  }));
  const each = (act: (worker: Worker) => Promise<unknown>): Promise<void> => inTurn(workers, act);
  let renewed = 0;
  let turned = 0;

  async function begin(worker: Worker, run: LiveRun): Promise<void> {
    await insertRun(worker.db, rowOf(run.id), null);
    const claim = await claimRun(worker.db, run.id, { id: worker.id, leaseMs, sandbox, ...taker });
    if (claim.kind !== "claimed") throw new Error(`A run of the simulation was not claimed: ${claim.kind}.`);
  }
  async function replace(worker: Worker, nth: number): Promise<void> {
    const over = worker.runs[nth];
    if (!over) return;
    await finalizeRun(worker.db, endOf(over));
    const next = newRun();
    worker.runs[nth] = next;
    await begin(worker, next);
  }

  return {
    fill: () => each((worker) => Promise.all(worker.runs.map((run) => begin(worker, run)))),
    async renew() {
      const due = Math.ceil((count * 3) / 10);
      const held = Array.from({ length: due }, (_, nth) => workers[(renewed + nth) % count]);
      renewed += due;
      await inTurn(held, async (worker) => {
        if (!worker) return;
        const runs = worker.runs.map(({ id }) => ({ id, attempt: 1 }));
        const kept = await renewLeases(worker.db, runs, leaseMs);
        if (kept.length !== runs.length) throw new Error("A lease of the simulation was lost.");
      });
    },
    tick: () =>
      each(async ({ id, runs, db: own }) => {
        // A sign of life comes each third of a lease.
        if (Math.random() < 0.3) await announceWorker(own, cardOf(id, runs.length));
        await findUnclaimedRuns(own, { olderThanMs: 3_000, limit: 8, ...taker });
        for (const duty of ["reconcile-runs", "book-usage"]) await takeDuty(own, duty, 800);
        if (Math.random() < 0.2) await takeDuty(own, "expire-queue", 4_000);
      }),
    async reconcile() {
      await requeueLostRuns(db, { limit: 100, leaseMs });
      await releaseRuns(db, 100);
      await wakeRuns(db, 500, hourMs);
    },
    book: () => bookAllUsage(db),
    speak: () =>
      each(({ db: own, runs }) =>
        Promise.all(
          runs.map(async (run) => {
            const events = [1, 2].map((n) => said(run.id, run.seq + n));
            run.seq += 2;
            if (!(await appendTranscript(own, run.id, events, null)))
              throw new Error("A run of the simulation is fenced.");
          }),
        ),
      ),
    async turn(most) {
      const ending = Array.from({ length: most }, () => turned++);
      await inTurn(ending, async (nth) => {
        const worker = workers[nth % count];
        if (worker) await replace(worker, Math.floor(nth / count) % worker.runs.length);
      });
    },
  };
}

/** As many at once as there are connections: who waits for one too long is told that there is none. */
async function inTurn<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const next = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: connections }, next));
}

const newRun = (): LiveRun => ({ id: newId("run"), seq: 0 });

/** As long as a line of a model's answer. */
const said = (id: string, seq: number): StreamEvent =>
  placeEvent(id, { attempt: 1, seq }, { type: "output.delta", content: `${"word ".repeat(16)}${seq}` }, new Date());

function endOf({ id, seq }: LiveRun): Parameters<typeof finalizeRun>[1] {
  const usage = { input_tokens: 900, output_tokens: 300, cost_usd: 0.004 };
  const outcome = { status: "success", result_content: { n: 1 }, error: null, state_snapshot: null, usage } as const;
  const last = placeEvent(id, { attempt: 1, seq: seq + 1 }, terminalEvent(outcome, null, 5), new Date());
  const end = {
    run_id: id,
    cause: "finish",
    attempt: 1,
    duration_ms: 5,
    events: [last],
    reason: null,
    by: null,
  } as const;
  return { ...end, events: [last], outcome, alone: true };
}

const cardOf = (id: string, busy: number): Parameters<typeof announceWorker>[1] => ({
  ...{ id, host: "host", pid: 1, software: "1", slots: 256, busy, lease_ms: 10_000, status: "active", ...taker },
  sandbox: { ...sandbox, missing: [] },
});

/** The agent's owner, and the agent. */
export const owner = "ada";
export const agent = "agent";

const rowOf = (id: string): NewRun => ({
  ...{ id, user_id: owner, agent_id: agent, version: "1.0.0", agent_revision: null, thread_id: null },
  ...{
    multitask: "enqueue",
    adapter_type: "python",
    runtime_mode: "standard",
    lifecycle: "serverless",
    pool: "default",
  },
  ...{ timeout_ms: hourMs, concurrency: null, max_attempts: 3, queue_ttl_ms: hourMs, request_options: null },
  ...{ key_concurrency: null, run_at: null, delay_ms: null, debounce_key: null, state_snapshot: null, env_names: [] },
  input_payload: { question: "What is the capital of France?" },
  ...{ history: [], files: [], sealed_env: null, sealed_files: null, completion_callback_url: null, traceparent: null },
  request_hash: Buffer.from(id),
  ...{ origin: "api", by: null, replay_of: null, job_id: null, metadata: {}, tags: [] },
  queued_event: placeEvent(
    id,
    { attempt: 0, seq: 1 },
    {
      type: "run.queued",
      agent_id: agent,
      version: "1.0.0",
      thread_id: null,
      status: "queued",
      queue: { position: null, wait_reason: null },
    },
    new Date(),
  ),
  bounds: { plan_id: null, max_queued_runs: null, max_concurrent_runs: null },
});
