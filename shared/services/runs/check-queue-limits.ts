import { AppError, unavailable } from "../../domain/errors/app-error.ts";
import type { CodeOf } from "../../domain/errors/error-codes.ts";
import type { Db } from "../../store/client.ts";
import { countQueuedRuns } from "../../store/runs/read/count-unended-runs.ts";

/** The largest numbers of queued runs: in all, of one owner, of one agent. */
type QueueLimits = { total: number; perOwner: number; perAgent: number };
type NextRun = { user_id: string; agent_id: string };

export type QueueLimiter = {
  /**
   * Reserves room in the queue for a run that is about to be committed. Returns its position; the next run to start has
   * position 1. Throws `queue_full` (503), `owner_queue_full` or `agent_queue_full` (429). Rejects when Postgres is unreachable.
   */
  reserve(next: NextRun): Promise<number>;
};

/** Counting may cost at most this part of Postgres' time, and happens at most twice a second. */
const countingShare = 0.05;
const minAgeMs = 500;
const retryAfterSeconds = 5;

/**
 * Counts the runs that are queued or scheduled when the last count is old, and adds the runs that this process accepted since. Several API processes
 * together may exceed a limit by the runs that they accept within one count's age.
 */
export function createQueueLimiter(db: Db, limits: QueueLimits): QueueLimiter {
  let counts = new Map<string, number>();
  let counted = 0;
  let freshUntil = -Infinity;
  let counting: Promise<void> | null = null;

  async function count(): Promise<void> {
    const start = performance.now();
    const fresh = new Map<string, number>();
    let queued = 0;
    for (const row of await countQueuedRuns(db)) {
      for (const scope of scopesOf(row)) fresh.set(scope, (fresh.get(scope) ?? 0) + row.count);
      if (row.queued) queued += row.count;
    }
    const end = performance.now();
    counts = fresh;
    counted = queued;
    freshUntil = end + Math.max(minAgeMs, (end - start) / countingShare);
  }

  return {
    async reserve(next) {
      if (performance.now() >= freshUntil) await (counting ??= count().finally(() => (counting = null)));
      const [total = 0, owner = 0, agent = 0] = scopesOf(next).map((scope) => counts.get(scope) ?? 0);
      if (total >= limits.total)
        throw unavailable(
          "queue_full",
          "The queue has as many runs as QUEUE_LIMIT allows. Try again later.",
          retryAfterSeconds,
        );
      if (owner >= limits.perOwner)
        throw tooMany(
          "owner_queue_full",
          `This user has ${owner} queued runs, as many as OWNER_QUEUE_LIMIT allows. Try again later.`,
        );
      if (agent >= limits.perAgent)
        throw tooMany(
          "agent_queue_full",
          `This agent has ${agent} queued runs, as many as AGENT_QUEUE_LIMIT allows. Try again later.`,
        );
      for (const scope of scopesOf(next)) counts.set(scope, (counts.get(scope) ?? 0) + 1);
      return counted + 1;
    },
  };
}

const everything = "";
const scopesOf = ({ user_id, agent_id }: NextRun): [string, string, string] => [
  everything,
  `owner ${user_id}`,
  `agent ${agent_id}`,
];
const tooMany = (code: CodeOf<"too_many_requests">, message: string): AppError =>
  new AppError("too_many_requests", code, message, retryAfterSeconds);
