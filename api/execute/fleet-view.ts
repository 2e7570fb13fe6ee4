import type { Db } from "../../shared/store/client.ts";
import { listWorkers } from "../../shared/store/workers/list-workers.ts";

/** A worker that gave no sign of life for this long counts as gone. */
const silentWorkerMs = 15_000;
/** A new worker, or a lost one, is noticed after this. */
const maxAgeMs = 1_000;

export type FleetView = {
  /** Whether a live worker offers an adapter. Rejects when Postgres is away. */
  offers(adapterType: string): Promise<boolean>;
  /** What live workers offer. */
  adapters(): Promise<ReadonlySet<string>>;
};

/** What the workers offer, read at most once a second, however many ask. */
export function createFleetView(db: Db): FleetView {
  let readAt = -Infinity;
  let reading: Promise<Set<string>> | null = null;

  function adapters(): Promise<Set<string>> {
    const now = performance.now();
    if (reading && now - readAt < maxAgeMs) return reading;
    readAt = now;
    reading = listWorkers(db, silentWorkerMs).then((workers) => {
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
      // Somebody who just started a worker should not wait for the view to grow old.
      reading = null;
      return (await adapters()).has(adapterType);
    },
  };
}
