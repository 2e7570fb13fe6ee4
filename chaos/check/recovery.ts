import type { Struck } from "../nemesis/nemesis.ts";
import type { Stall } from "../stack/watch-stalls.ts";
import type { Evidence } from "./evidence.ts";

/** From a worker's kill to its run's return to the queue. `undisturbed`: see below. */
export type Recovery = { run_id: string; ms: number; undisturbed: boolean };

/** Reconcilers look once a second; the rest is their turn's own time. */
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
      // It had been lost before its worker was killed: that one was paused.
      if (ms < 0) return [];
      return { run_id, ms, undisturbed: isUndisturbed(kill, evidence) };
    }),
  );
}

/**
 * Postgres was whole from the kill on and the machine got on, and when the lease was over there was a worker that could
 * find that out.
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
