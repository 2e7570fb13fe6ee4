import type { Log } from "../../shared/platform/log.ts";
import type { Db } from "../../shared/store/client.ts";
import { type HeldRun, renewLeases } from "../../shared/store/runs/moves/renew-leases.ts";
import type { AbortReason, StopSignal } from "./abort-reason.ts";
import { errorText } from "../../shared/platform/error-text.ts";

/** The lease of one run, held by this worker. `stop` aborts `signal` with its reason; the first reason wins, but for `fenced`. */
export type Hold = { signal: StopSignal & { fenced: AbortSignal }; stop(reason: AbortReason): void; release(): void };

export type LeaseKeeper = {
  /**
   * Renews the run's lease until `release`. A cancel that is asked for meanwhile stops the run, also a repeated one; one that was asked
   * for before the claim doesn't: this attempt is there to clean up. `claimedAt`: when the claim was asked for, by performance.now().
   */
  hold(run: ClaimedLease, claimedAt: number): Hold;
  /** Reads one run's row at once. To be called when the row may have changed. */
  check(runId: string): Promise<void>;
  stopAll(reason: AbortReason): void;
  close(): void;
};

type ClaimedLease = HeldRun & { cancel_asked_ms: number | null };

type Entry = { run: ClaimedLease; controller: AbortController; fence: AbortController; provenAt: number };

function stopEntry({ controller, fence }: Entry, reason: AbortReason): void {
  if (reason === "fenced") fence.abort();
  controller.abort(reason);
}

/**
 * Renews the leases of all runs of this worker by one statement every third of a lease, and stops each run whose lease can't
 * be proven in time. Time is this process's monotonic clock, since nothing tells a worker that its Postgres is frozen, or
 * that it was frozen itself. A run is stopped a sixth of the lease before another worker may claim it, so that its process
 * is dead by then.
 */
export function createLeaseKeeper(db: Db, leaseMs: number, log: Log): LeaseKeeper {
  const entries = new Map<string, Entry>();
  const renewal = setInterval(() => void renew([...entries.values()]), leaseMs / 3);
  const watchdog = setInterval(stopUnproven, Math.min(leaseMs / 12, 250));

  async function renew(due: Entry[]): Promise<void> {
    if (due.length === 0) return;
    const askedAt = performance.now();
    try {
      const renewed = await renewLeases(
        db,
        due.map((entry) => entry.run),
        leaseMs,
      );
      const byId = new Map(renewed.map((lease) => [lease.id, lease]));
      for (const entry of due) {
        const lease = byId.get(entry.run.id);
        if (!lease) stopEntry(entry, "fenced");
        else if (lease.cancel_asked_ms !== entry.run.cancel_asked_ms) stopEntry(entry, "cancelled");
        entry.provenAt = Math.max(entry.provenAt, askedAt);
      }
    } catch (error) {
      log.warn({ err: errorText(error), runs: due.length }, "leases could not be renewed");
    }
  }

  function stopUnproven(): void {
    const limit = performance.now() - leaseMs * (5 / 6);
    for (const entry of entries.values()) if (entry.provenAt < limit) stopEntry(entry, "fenced");
  }

  return {
    hold(run, claimedAt) {
      const [controller, fence] = [new AbortController(), new AbortController()];
      const entry: Entry = { run, controller, fence, provenAt: claimedAt };
      // The id may be of another run by now: of one that was accepted after the earlier was ended from outside and deleted.
      const before = entries.get(run.id);
      if (before) stopEntry(before, "fenced");
      entries.set(run.id, entry);
      // A lease that began some time ago can't wait for the others' next renewal.
      if (performance.now() - claimedAt > leaseMs / 3) void renew([entry]);
      return {
        signal: Object.assign(controller.signal, { fenced: fence.signal }),
        stop: (reason) => stopEntry(entry, reason),
        release() {
          if (entries.get(run.id) === entry) entries.delete(run.id);
        },
      };
    },
    async check(runId) {
      const entry = entries.get(runId);
      if (entry) await renew([entry]);
    },
    stopAll(reason) {
      for (const entry of entries.values()) stopEntry(entry, reason);
    },
    close() {
      clearInterval(renewal);
      clearInterval(watchdog);
    },
  };
}
