import { Queue } from "bullmq";
import type { RedisAddress } from "../config/redis-url.ts";
import { connectRedis } from "../stream/connection.ts";
import { bullPrefix, ticksQueue } from "./names.ts";

export type TickQueue = {
  /**
   * Nudges some worker when a job is due, if that is soon. Never rejects: the nudge may be lost, or come when nothing is due.
   * Workers also poll Postgres for due jobs, each second.
   */
  arm(jobId: string, at: Date): Promise<void>;
  close(): Promise<void>;
};

/** Nobody takes back a nudge whose schedule has changed, so Redis holds those of this time only. */
const soonMs = 10 * 60_000;

/**
 * The producer of ticks: one delayed BullMQ job for each schedule's next tick that comes soon. Each tick arms the next one, so
 * an emptied Redis is filled again by itself. A tick of a deleted schedule nudges a worker once, for nothing.
 */
export function openTickQueue(url: RedisAddress, prefix: string, onError: (error: Error) => void): TickQueue {
  const connection = connectRedis(url, onError);
  const queue = new Queue(ticksQueue, {
    connection,
    prefix: bullPrefix(url, prefix),
    skipVersionCheck: true,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  queue.on("error", onError);
  return {
    async arm(jobId, at) {
      const delay = Math.max(0, at.getTime() - Date.now());
      if (delay > soonMs) return;
      // The id lets BullMQ arm the same tick only once.
      const named = { jobId: `${jobId}-${at.getTime()}`, delay };
      await queue.add("tick", {}, named).catch(() => undefined);
    },
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}
