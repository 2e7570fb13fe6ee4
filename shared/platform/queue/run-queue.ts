import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { mostRunsInJob, type RunJob } from "../../schemas/dispatch.ts";
import { together } from "../lifecycle/together.ts";
import { connectRedis } from "../stream/connection.ts";
import { bullPrefix, runsQueue } from "./names.ts";

export type RunQueue = {
  /**
   * Nudges some worker to claim the run. Rejects when Redis is out of reach; the nudge may also be lost later. Either
   * way the workers' poll of Postgres finds the run. `queuedAt`: since when the run waits, epoch ms.
   */
  dispatch(runId: string, queuedAt?: number): Promise<void>;
  /** Jobs by state: waiting, active, delayed. */
  counts(): Promise<Record<string, number>>;
  close(): Promise<void>;
};

/**
 * The producer of runs' nudges. Runs that are dispatched at the same time are one job of BullMQ. Each job has an id of its own:
 * BullMQ ignores an id that it has already. `onError` is also called for a Redis that evicts keys: runs would then start late,
 * and streams have gaps, without any other sign.
 */
export function openRunQueue(url: string, prefix: string, onError: (error: Error) => void): RunQueue {
  const connection = connectRedis(url, onError);
  const queue = new Queue<RunJob>(runsQueue, {
    connection,
    prefix: bullPrefix(prefix),
    skipVersionCheck: true,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  queue.on("error", onError);
  const dispatch = together<{ runId: string; queuedAt: number }, void>(
    async (nudges) => {
      const queued_at = Math.min(...nudges.map(({ queuedAt }) => queuedAt));
      await queue.add("run", { run_ids: nudges.map(({ runId }) => runId), queued_at });
      return nudges.map(() => ({ value: undefined }));
    },
    { most: mostRunsInJob },
  );
  connection.once("ready", () => {
    findEviction(connection).then(
      (policy) => policy && onError(new Error(`Redis evicts keys (${policy}): set its maxmemory-policy to noeviction`)),
      () => undefined,
    );
  });
  return {
    dispatch: (runId, queuedAt = Date.now()) => dispatch({ runId, queuedAt }),
    counts: () => queue.getJobCounts("waiting", "active", "delayed"),
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}

/** Returns the policy by which Redis evicts keys; null when it evicts none, or doesn't say. */
async function findEviction(connection: Redis): Promise<string | null> {
  const policy = /maxmemory_policy:([\w-]+)/.exec(await connection.info("memory"))?.[1] ?? null;
  return policy === "noeviction" ? null : policy;
}
