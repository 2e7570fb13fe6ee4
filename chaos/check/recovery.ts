import type { Evidence } from "./evidence.ts";

/** From a worker's kill to its run's return to the queue. `undisturbed`: nothing else was in the way. */
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

export function listRecoveries({ struck, transitions, leaseMs }: Evidence): Recovery[] {
  const kills = new Map(
    struck.filter(({ fault }) => fault === "worker_kill").map((kill) => [kill.worker_id, kill] as const),
  );
  return [...transitions].flatMap(([run_id, moves]) =>
    moves.flatMap((move, place) => {
      // A claim's reason is the worker's id.
      const kill = kills.get(moves[place - 1]?.reason ?? null);
      if (move.reason !== "worker_lost" || move.to !== "queued" || !kill) return [];
      const [from, to] = [kill.from, kill.from + leaseMs + graceMs];
      const others = struck.filter((other) => other !== kill && other.from < to && other.to > from);
      const undisturbed = others.every(({ fault }) => fault.startsWith("api_") || fault === "redis_flush");
      return { run_id, ms: move.at_ms - from, undisturbed };
    }),
  );
}
