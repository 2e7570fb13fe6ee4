import { shareRead } from "../../platform/lifecycle/share-read.ts";
import type { Db } from "../../store/client.ts";
import type { FleetWorker } from "../../schemas/fleet.ts";
import { listWorkers } from "../../store/workers/list-workers.ts";

/** A worker whose last heartbeat is older counts as lost. */
const maxSilenceMs = 15_000;
/** A started or a lost worker is noticed after at most this time. */
const maxAgeMs = 1_000;

export type FleetView = {
  /** True when a live worker offers the adapter, or when the deployment expects one. Rejects when Postgres is unreachable. */
  offers(adapterType: string): Promise<boolean>;
  /** True when there is a live worker, or when the deployment expects one. */
  isStaffed(): Promise<boolean>;
  /** Returns what the live workers offer. */
  adapters(): Promise<ReadonlySet<string>>;
  /** Returns the live workers of the run's pool that offer its adapter. */
  offering(run: { adapter_type: string; pool: string }): Promise<readonly string[]>;
};

/**
 * Knows what the live workers offer. All callers share a read, at most once a second. `expected`: what workers are started
 * for when runs wait for it, so that a fleet may be empty meanwhile.
 */
export function createFleetView(db: Db, expected: readonly string[]): FleetView {
  const isExpected = new Set(expected);
  const read = async () => {
    const workers = await listWorkers(db, maxSilenceMs);
    return workers.filter((worker) => worker.status === "active");
  };
  let active = shareRead(maxAgeMs, read);

  /** Looks once more where nothing is found: a worker that has just been started should be found at once. */
  async function find(looksFor: (worker: FleetWorker) => boolean): Promise<FleetWorker[]> {
    const found = (await active()).filter(looksFor);
    if (found.length > 0) return found;
    active = shareRead(maxAgeMs, read);
    return (await active()).filter(looksFor);
  }
  const isFound = async (looksFor: (worker: FleetWorker) => boolean): Promise<boolean> =>
    (await find(looksFor)).length > 0;

  return {
    adapters: async () => new Set((await active()).flatMap((worker) => worker.adapters)),
    offering: async ({ adapter_type, pool }) =>
      (await find((worker) => worker.pool === pool && worker.adapters.includes(adapter_type))).map(({ id }) => id),
    offers: async (adapterType) =>
      isExpected.has(adapterType) || isFound((worker) => worker.adapters.includes(adapterType)),
    isStaffed: async () => isExpected.size > 0 || isFound((worker) => worker.adapters.length > 0),
  };
}
