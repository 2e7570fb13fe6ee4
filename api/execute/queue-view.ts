import type { CodeOf } from "../../shared/domain/errors/error-codes.ts";
import { AppError, unavailable } from "../../shared/domain/errors/app-error.ts";
import type { Db } from "../../shared/store/client.ts";
import { countQueuedRuns } from "../../shared/store/runs/count-runs.ts";

/** How many runs may wait: in all, of one owner, of one agent. */
export type QueueLimits = { total: number; perOwner: number; perAgent: number };
type Whose = { user_id: string; agent_id: string };

export type QueueView = {
  /**
   * Takes a place in the queue for a run that is about to be committed. Gives its position, the next one to start having 1.
   * Throws `queue_full` (503), `owner_queue_full` or `agent_queue_full` (429). Rejects when Postgres is away.
   */
  enter(whose: Whose): Promise<number>;
};

/** Counting costs at most this part of Postgres' time, and is done at most twice a second. */
const countingShare = 0.05;
const minAgeMs = 500;
const retryAfterSeconds = 5;

/**
 * What waits, counted anew when it is asked for and the count is old; what this process let in since is added. So several
 * API processes may together let in more than the limit, by what they accept within one count's age.
 */
export function createQueueView(db: Db, limits: QueueLimits): QueueView {
  let counts = new Map<string, number>();
  let counted = 0;
  let freshUntil = -Infinity;
  let counting: Promise<void> | null = null;

  async function count(): Promise<void> {
    const start = performance.now();
    const fresh = new Map<string, number>();
    for (const row of await countQueuedRuns(db)) {
      for (const place of placesOf(row)) fresh.set(place, (fresh.get(place) ?? 0) + row.count);
    }
    const end = performance.now();
    counts = fresh;
    counted = fresh.get(whole) ?? 0;
    freshUntil = end + Math.max(minAgeMs, (end - start) / countingShare);
  }

  return {
    async enter(whose) {
      if (performance.now() >= freshUntil) await (counting ??= count().finally(() => (counting = null)));
      const [total = 0, owner = 0, agent = 0] = placesOf(whose).map((place) => counts.get(place) ?? 0);
      if (total >= limits.total) throw unavailable("queue_full", "Too many runs wait already.", retryAfterSeconds);
      if (owner >= limits.perOwner) throw tooMany("owner_queue_full", `${owner} runs of yours wait already.`);
      if (agent >= limits.perAgent) throw tooMany("agent_queue_full", `${agent} runs of this agent wait already.`);
      for (const place of placesOf(whose)) counts.set(place, (counts.get(place) ?? 0) + 1);
      return counted + 1;
    },
  };
}

const whole = "";
const placesOf = ({ user_id, agent_id }: Whose): [string, string, string] => [
  whole,
  `owner ${user_id}`,
  `agent ${agent_id}`,
];
const tooMany = (code: CodeOf<"too_many_requests">, message: string): AppError =>
  new AppError("too_many_requests", code, message, retryAfterSeconds);
