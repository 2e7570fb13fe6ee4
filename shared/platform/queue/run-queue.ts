import { Queue } from "bullmq";
import { Cluster } from "ioredis";
import { mostRunsInJob, type RunJob } from "../../schemas/dispatch.ts";
import type { RedisAddress } from "../config/redis-url.ts";
import { batchCalls } from "../lifecycle/batch-calls.ts";
import { connectRedis, type RedisClient } from "../stream/connection.ts";
import { bullPrefix, runsQueue } from "./names.ts";
import { type WorkerCredits, workerCredits } from "./worker-credits.ts";

export type RunQueue = {
  /**
   * Nudges some worker of the pool to claim the run. Rejects when Redis is out of reach; the nudge may also be lost later. Either
   * way the workers' poll of Postgres finds the run. `queuedAt`: since when the run waits, epoch ms.
   */
  dispatch(runId: string, pool: string, queuedAt?: number): Promise<void>;
  /** What runs are granted by, without a job. */
  credits: WorkerCredits;
  /** Jobs of a pool by state: waiting, active, delayed. */
  counts(pool: string): Promise<Record<string, number>>;
  close(): Promise<void>;
};

type Nudge = { runId: string; queuedAt: number };
type Producer = { queue: Queue<RunJob>; dispatch: (nudge: Nudge) => Promise<void> };

/**
 * The producer of runs' nudges, which has a queue for each pool. Runs of a pool that are dispatched at the same time are one job of BullMQ. Each job has an id of its own:
 * BullMQ ignores an id that it has already. `onError` is also called for a Redis that evicts keys: runs would then start late,
 * and streams have gaps, without any other sign.
 */
export function openRunQueue(url: RedisAddress, prefix: string, onError: (error: Error) => void): RunQueue {
  const connection = connectRedis(url, onError);
  const producers = new Map<string, Producer>();
  function producerOf(pool: string): Producer {
    const known = producers.get(pool);
    if (known) return known;
    const queue = new Queue<RunJob>(runsQueue(pool), {
      connection,
      prefix: bullPrefix(url, prefix),
      skipVersionCheck: true,
      defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
    });
    queue.on("error", onError);
    const dispatch = batchCalls<Nudge, void>(
      async (nudges) => {
        const queued_at = Math.min(...nudges.map(({ queuedAt }) => queuedAt));
        await queue.add("run", { run_ids: nudges.map(({ runId }) => runId), queued_at });
        return nudges.map(() => ({ value: undefined }));
      },
      { most: mostRunsInJob },
    );
    const producer = { queue, dispatch };
    producers.set(pool, producer);
    return producer;
  }
  connection.once("ready", () => {
    findEviction(connection).then(
      (policy) => policy && onError(new Error(`Redis evicts keys (${policy}): set its maxmemory-policy to noeviction`)),
      () => undefined,
    );
  });
  return {
    dispatch: (runId, pool, queuedAt = Date.now()) => producerOf(pool).dispatch({ runId, queuedAt }),
    credits: workerCredits(connection, prefix),
    counts: (pool) => producerOf(pool).queue.getJobCounts("waiting", "active", "delayed"),
    async close() {
      await Promise.all([...producers.values()].map(({ queue }) => queue.close()));
      connection.disconnect();
    },
  };
}

/** Returns the policy by which Redis, or some node of a cluster, evicts keys; null when none does, or none says so. */
async function findEviction(connection: RedisClient): Promise<string | null> {
  const nodes = connection instanceof Cluster ? connection.nodes("master") : [connection];
  const infos = await Promise.all(nodes.map((node) => node.info("memory")));
  const policies = infos.flatMap((info) => /maxmemory_policy:([\w-]+)/.exec(info)?.[1] ?? []);
  return policies.find((policy) => policy !== "noeviction") ?? null;
}
