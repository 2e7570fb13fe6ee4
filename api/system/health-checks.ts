import { shareCheck } from "../../shared/platform/lifecycle/share-check.ts";
import type { RunStreams } from "../../shared/platform/stream/run-streams.ts";
import type { FleetWorker } from "../../shared/schemas/fleet.ts";
import type { FleetView } from "../../shared/services/runs/fleet-view.ts";
import type { Db } from "../../shared/store/client.ts";
import { isWritable } from "../../shared/store/is-writable.ts";
import type { readPools } from "../../shared/store/queues/read-pools.ts";
import { listWorkers } from "../../shared/store/workers/list-workers.ts";

/**
 * What the health routes ask. Anybody may ask them: so each question is asked once at a time and at most once a second, however
 * many requests there are. Each rejects when there is no answer in time.
 */
export type HealthChecks = {
  /** True when Postgres takes writes. */
  writable(): Promise<boolean>;
  redis(): Promise<void>;
  /** Returns the workers that gave a sign of life lately. */
  workers(): Promise<FleetWorker[]>;
  pools(): ReturnType<typeof readPools>;
  /** True when there is a worker that takes runs, or when the deployment expects one. */
  staffed(): Promise<boolean>;
};

const limits = { answerMs: 1_500, keepMs: 1_000 };
const silentMs = 15_000;

type Deps = {
  db: Db;
  pools: () => ReturnType<typeof readPools>;
  streams: Pick<RunStreams, "ping">;
  fleet: Pick<FleetView, "isStaffed">;
};

export function createHealthChecks({ db, pools, streams, fleet }: Deps): HealthChecks {
  return {
    writable: shareCheck(limits, () => isWritable(db, limits.answerMs)),
    redis: shareCheck(limits, () => streams.ping()),
    workers: shareCheck(limits, () => listWorkers(db, silentMs)),
    pools: shareCheck(limits, pools),
    staffed: shareCheck(limits, () => fleet.isStaffed()),
  };
}
