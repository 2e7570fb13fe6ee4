import { Queue } from "bullmq";
import { connectRedis } from "../stream/connection.ts";
import { bullPrefix, ticksQueue } from "./names.ts";

export type TickQueue = {
  /**
   * Wakes some worker when a job is due. Never rejects: the nudge may be lost, now or later, and may come in vain. What is
   * due stands in Postgres, where the workers look for it as well.
   */
  arm(jobId: string, at: Date): Promise<void>;
  close(): Promise<void>;
};

/**
 * The producer's side: one delayed job of BullMQ for the next tick. Each tick arms the one after it, so an emptied Redis
 * heals by itself, and what was armed for a schedule that is no more wakes somebody once.
 */
export function openTickQueue(url: string, prefix: string, onError: (error: Error) => void): TickQueue {
  const connection = connectRedis(url, onError);
  const queue = new Queue(ticksQueue, {
    connection,
    prefix: bullPrefix(prefix),
    skipVersionCheck: true,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  queue.on("error", onError);
  return {
    async arm(jobId, at) {
      const delay = Math.max(0, at.getTime() - Date.now());
      // The same tick is armed once, however often that is asked.
      const named = { jobId: `${jobId}-${at.getTime()}`, delay };
      await queue.add("tick", {}, named).catch(() => undefined);
    },
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}
