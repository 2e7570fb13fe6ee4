import type { Struck } from "../nemesis/nemesis.ts";
import type { Evidence } from "./evidence.ts";

/** From a worker's kill to its run's return to the queue. `undisturbed`: Postgres and some other worker were whole. */
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

function isUndisturbed(kill: Struck, { struck, workers, leaseMs }: Evidence): boolean {
  const [from, to] = [kill.from, kill.from + leaseMs + graceMs];
  const meanwhile = struck.filter((other) => other.from < to && other.to > from);
  const brokenWorkers = new Set(
    meanwhile.filter(({ fault }) => fault.startsWith("worker_")).map(({ target }) => target),
  );
  return brokenWorkers.size < workers && meanwhile.every(({ target }) => target !== "postgres");
}
