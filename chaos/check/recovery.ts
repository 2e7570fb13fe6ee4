import type { Struck } from "../nemesis/nemesis.ts";
import type { Stall } from "../stack/watch-stalls.ts";
import type { Evidence } from "./evidence.ts";

/** The time from a worker's kill to its run's return to the queue. `undisturbed`: see `isUndisturbed`. */
export type Recovery = { run_id: string; ms: number; undisturbed: boolean };

/** Reconcilers check once a second; the rest is for the check itself. */
const graceMs = 2_000;

/** A run whose worker was killed is back in the queue within the lease and two seconds, if nothing else is broken. */
export function lostRunsReturnInTime(evidence: Evidence): string[] {
  const limit = evidence.leaseMs + graceMs;
  return listRecoveries(evidence)
    .filter(({ undisturbed, ms }) => undisturbed && ms > limit)
    .map(({ run_id, ms }) => `${run_id}: ${Math.round(ms)} ms after its worker's kill`);
}

export function listRecoveries(evidence: Evidence): Recovery[] {
  const { struck, transitions } = evidence;
  const kills = new Map(
    struck.filter(({ fault }) => fault === "worker_kill").map((kill) => [kill.worker_id, kill] as const),
  );
  return [...transitions].flatMap(([run_id, moves]) =>
    moves.flatMap((move, place) => {
      // A claim's reason is the worker's id.
      const kill = kills.get(moves[place - 1]?.reason ?? null);
      if (move.reason !== "worker_lost" || move.to !== "queued" || !kill) return [];
      const ms = move.at_ms - kill.from;
      // The run was lost before its worker was killed, because the worker was paused.
      if (ms < 0) return [];
      return { run_id, ms, undisturbed: isUndisturbed(kill, evidence) };
    }),
  );
}

/**
 * True when, from the kill on, Postgres was not broken and the machine not stalled, and when a worker was left that could find
 * the expired lease.
 */
function isUndisturbed(kill: Struck, { struck, stalls, workers, leaseMs }: Evidence): boolean {
  const to = kill.from + leaseMs + graceMs;
  const during = <T extends Stall>(times: readonly T[], from: number): T[] =>
    times.filter((other) => other.from < to && other.to > from);
  const brokenWorkers = new Set(
    during(struck, kill.from + leaseMs)
      .filter(({ fault }) => fault.startsWith("worker_"))
      .map(({ target }) => target),
  );
  if (brokenWorkers.size === workers || during(stalls, kill.from).length > 0) return false;
  return during(struck, kill.from).every(({ target }) => target !== "postgres");
}
