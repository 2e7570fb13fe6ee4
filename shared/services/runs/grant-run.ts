import { createHash } from "node:crypto";
import type { KeyRing } from "../../platform/config/load-config.ts";
import type { RunQueue } from "../../platform/queue/run-queue.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";
import type { Db } from "../../store/client.ts";
import { grantedRun } from "../../store/runs/queue/claimed-run.ts";
import type { Grant, NewRun } from "../../store/runs/queue/insert-run.ts";
import { isBounded } from "../../store/runs/queue/plan-limits.ts";
import { giveBackRun } from "../../store/runs/moves/give-back-run.ts";
import type { FleetView } from "./fleet-view.ts";
import { sealGrant } from "./seal-grant.ts";

type CreditDeps = { fleet: Pick<FleetView, "offering">; queue: Pick<RunQueue, "credits"> };
type GrantDeps = {
  config: { encryptionKeys: KeyRing };
  db: Db;
  queue: RunQueue;
  streams: Pick<RunStreams, "signalWorker">;
};

export type Granted = { worker_id: string; grant: Grant };

/** How many workers a version's runs go to while they have room: there, its sandboxes stay warm. */
const workersOfVersion = 2;
/** How many are looked at: a worker that died a moment ago still counts as live. */
const workersLookedAt = 2 * workersOfVersion;

/** Whether a run without a place in any order may be granted to a worker: nobody is to be asked whether it is its turn. */
const isGrantable = (run: NewRun): boolean =>
  run.lifecycle === "serverless" &&
  run.thread_id === null &&
  run.concurrency === null &&
  run.key_concurrency === null &&
  run.run_at === null &&
  run.delay_ms === null &&
  !isBounded(run.bounds);

/**
 * Takes a credit for a run that any worker may begin now, of a worker that its version usually runs on. Returns the worker; null: the
 * run joins the queue, where every worker finds it.
 */
export async function takeCredit({ fleet, queue }: CreditDeps, run: NewRun): Promise<string | null> {
  if (!isGrantable(run)) return null;
  try {
    const workers = preferredWorkers(await fleet.offering(run), `${run.agent_id}\0${run.version}`);
    return workers.length === 0 ? null : await queue.credits.take(workers, workersOfVersion);
  } catch {
    // Redis away.
    return null;
  }
}

/**
 * Returns the workers that a version's runs prefer, in order, by rendezvous hashing: every process finds the same ones, and a
 * worker that comes or goes moves only the versions that prefer it.
 */
export function preferredWorkers(workers: readonly string[], version: string): string[] {
  const weigh = (worker: string): string => createHash("sha1").update(`${version}\0${worker}`).digest("hex");
  const weighed = workers.map((worker) => ({ worker, weight: weigh(worker) }));
  weighed.sort((a, b) => (a.weight < b.weight ? -1 : 1));
  return weighed.slice(0, workersLookedAt).map(({ worker }) => worker);
}

/** Tells a worker of a run that was granted to it. A worker that doesn't listen is gone: the run joins the queue. */
export async function announceGrant(
  { config, db, queue, streams }: GrantDeps,
  run: NewRun,
  { worker_id, grant }: Granted,
): Promise<void> {
  const run_id = run.id;
  const sealed = sealGrant(config.encryptionKeys, { run: grantedRun(run, grant), lease_until: grant.lease_until });
  if ((await streams.signalWorker(worker_id, { kind: "granted", run_id, sealed })) !== false) return;
  await queue.credits.forget(worker_id);
  if (await giveBackRun(db, { id: run_id, attempt: 1 }, "not_started")) await queue.dispatch(run_id, run.pool);
}

/** Gives back a credit that came to nothing. A lost one is found missing by its worker. */
export const returnCredit = ({ queue }: Pick<CreditDeps, "queue">, workerId: string): void =>
  void queue.credits.give(workerId, 1).catch(() => undefined);
