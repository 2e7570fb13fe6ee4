import type { Db } from "../../store/client.ts";
import { listWorkers } from "../../store/workers/list-workers.ts";

/** A worker whose last heartbeat is older counts as lost. */
const maxSilenceMs = 15_000;
/** A started or a lost worker is noticed after at most this time. */
const maxAgeMs = 1_000;

export type FleetView = {
  /** True when a live worker offers the adapter. Rejects when Postgres is unreachable. */
  offers(adapterType: string): Promise<boolean>;
  /** Returns what the live workers offer. */
  adapters(): Promise<ReadonlySet<string>>;
};

/** Knows what the live workers offer. All callers share a read, at most once a second. */
export function createFleetView(db: Db): FleetView {
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

  return {
    adapters,
    async offers(adapterType) {
      if ((await adapters()).has(adapterType)) return true;
      // Read again: a worker that has just been started should be found at once.
      reading = null;
      return (await adapters()).has(adapterType);
    },
  };
}
