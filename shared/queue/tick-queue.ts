import { Queue, type RepeatOptions } from "bullmq";
import { nextTick } from "../run/next-tick.ts";
import { parseSchedule } from "../run/schedule.ts";
import type { TickJob } from "../schemas/dispatch.ts";
import { connectRedis } from "../stream/connection.ts";
import { bullPrefix, ticksQueue } from "./names.ts";

export type TickQueue = {
  /**
   * Wakes a worker at each tick of a job's schedule from now on, or at once where it has none. Rejects when Redis is out of
   * reach. A nudge may be lost or come in vain: what is due stands in Postgres, and is looked for there as well.
   */
  arm(job: { id: string; schedule: string | null; timezone: string }): Promise<void>;
  /** No more of a job's nudges. */
  disarm(jobId: string): Promise<void>;
  close(): Promise<void>;
};

/** How BullMQ's job schedulers reckon: by our own ticks. Whoever makes or takes jobs of the queue needs it. */
export const tickSettings = {
  repeatStrategy(millis: number, { pattern = "", tz = "UTC" }: RepeatOptions): number | undefined {
    const schedule = parseSchedule(pattern);
    return "fault" in schedule ? undefined : nextTick(schedule, tz, new Date(millis))?.getTime();
  },
};

export function openTickQueue(url: string, prefix: string, onError: (error: Error) => void): TickQueue {
  const connection = connectRedis(url, onError);
  const opts = { attempts: 1, removeOnComplete: true, removeOnFail: true };
  const queue = new Queue<TickJob>(ticksQueue, {
    connection,
    prefix: bullPrefix(prefix),
    skipVersionCheck: true,
    defaultJobOptions: opts,
    settings: tickSettings,
  });
  queue.on("error", onError);
  return {
    async arm({ id, schedule, timezone }) {
      const data = { job_id: id };
      if (schedule === null) await queue.add("tick", data);
      else await queue.upsertJobScheduler(id, { pattern: schedule, tz: timezone }, { name: "tick", data, opts });
    },
    async disarm(jobId) {
      await queue.removeJobScheduler(jobId);
    },
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}
