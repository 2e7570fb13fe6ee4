import type { Db } from "../../store/client.ts";
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
};

/**
 * Knows what the live workers offer. All callers share a read, at most once a second. `expected`: what workers are started
 * for when runs wait for it, so that a fleet may be empty meanwhile.
 */
export function createFleetView(db: Db, expected: readonly string[]): FleetView {
  const isExpected = new Set(expected);
  let readAt = -Infinity;
  let reading: Promise<Set<string>> | null = null;

  function adapters(): Promise<Set<string>> {
    const now = performance.now();
    if (reading && now - readAt < maxAgeMs) return reading;
    readAt = now;
    reading = listWorkers(db, maxSilenceMs).then((workers) => {
      const active = workers.filter((worker) => worker.status === "active");
      return new Set(active.flatMap((worker) => worker.adapters));
    });
    reading.catch(() => {
      reading = null;
    });
    return reading;
  }

  async function finds(what: (adapters: ReadonlySet<string>) => boolean): Promise<boolean> {
    if (what(await adapters())) return true;
    // Read again: a worker that has just been started should be found at once.
    reading = null;
    return what(await adapters());
  }

  return {
    adapters,
    offers: async (adapterType) => isExpected.has(adapterType) || finds((offered) => offered.has(adapterType)),
    isStaffed: async () => isExpected.size > 0 || finds((offered) => offered.size > 0),
  };
}
