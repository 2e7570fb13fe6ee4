import { Queue } from "bullmq";
import type { RunJob } from "../schemas/dispatch.ts";
import { connectRedis } from "../stream/connection.ts";
import { bullPrefix, runsQueue } from "./names.ts";

export type RunQueue = {
  /**
   * Nudges some worker to claim the run. Rejects when Redis is out of reach; the nudge may also be lost later. Either
   * way the workers' poll of Postgres finds the run.
   */
  dispatch(runId: string): Promise<void>;
  /** Jobs by state: waiting, active, delayed. */
  counts(): Promise<Record<string, number>>;
  close(): Promise<void>;
};

/** The producer's side of BullMQ. Each nudge has a job id of its own: BullMQ ignores an id that it has already. */
export function openRunQueue(url: string, prefix: string, onError: (error: Error) => void): RunQueue {
  const connection = connectRedis(url, onError);
  const queue = new Queue<RunJob>(runsQueue, {
    connection,
    prefix: bullPrefix(prefix),
    skipVersionCheck: true,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  queue.on("error", onError);
  return {
    async dispatch(runId) {
      await queue.add("run", { run_id: runId });
    },
    counts: () => queue.getJobCounts("waiting", "active", "delayed"),
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}
