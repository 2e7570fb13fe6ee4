import { Queue } from "bullmq";
import { Cluster } from "ioredis";
import { mostRunsInJob, type RunJob } from "../../schemas/dispatch.ts";
import { together } from "../lifecycle/together.ts";
import { connectRedis, type RedisClient } from "../stream/connection.ts";
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
    prefix: bullPrefix(url, prefix),
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

/** Returns the policy by which Redis, or some node of a cluster, evicts keys; null when none does, or none says so. */
async function findEviction(connection: RedisClient): Promise<string | null> {
  const nodes = connection instanceof Cluster ? connection.nodes("master") : [connection];
  const infos = await Promise.all(nodes.map((node) => node.info("memory")));
  const policies = infos.flatMap((info) => /maxmemory_policy:([\w-]+)/.exec(info)?.[1] ?? []);
  return policies.find((policy) => policy !== "noeviction") ?? null;
}
