import { type Job, Worker } from "bullmq";
import type { RedisAddress } from "../../shared/platform/config/redis-url.ts";
import { connectSubscriber } from "../../shared/platform/stream/connection.ts";
import { bullPrefix, runsQueue, ticksQueue } from "../../shared/platform/queue/names.ts";
import { runJob } from "../../shared/schemas/dispatch.ts";

export type Consumer = {
  /** Stops taking jobs. */
  pause(): Promise<void>;
  close(): Promise<void>;
};

type Options = { url: RedisAddress; prefix: string; concurrency: number; onError: (error: Error) => void };

/** Takes the runs that a job names. Resolves when this worker can take another job. `queuedAt`: since when they wait, epoch ms. */
type TakeJob = (runIds: string[], queuedAt: number) => Promise<void>;

/**
 * Takes the jobs of a pool's runs from BullMQ. A job is a nudge, and Postgres decides whether there is something to do: so a job never
 * fails, is never retried, and may come twice.
 */
export function consumeRuns(pool: string, options: Omit<Options, "concurrency">, take: TakeJob): Consumer {
  return consume(runsQueue(pool), { ...options, concurrency: 1 }, async (job) => {
    const parsed = runJob.safeParse(job.data);
    if (parsed.success) await take(parsed.data.run_ids, parsed.data.queued_at);
  });
}

/** Takes schedules' jobs from BullMQ: `fire` is called when a tick of some schedule has come. */
export const consumeTicks = (options: Omit<Options, "concurrency">, fire: () => Promise<void>): Consumer =>
  consume(ticksQueue, { ...options, concurrency: 1 }, fire);

function consume(
  queue: string,
  { url, prefix, concurrency, onError }: Options,
  take: (job: Job<unknown>) => Promise<void>,
): Consumer {
  const connection = connectSubscriber(url, onError);
  const worker = new Worker<unknown>(queue, take, {
    connection,
    prefix: bullPrefix(url, prefix),
    concurrency,
    maxStalledCount: 1_000,
    skipVersionCheck: true,
  });
  worker.on("error", onError);
  return {
    pause: () => worker.pause(true),
    async close() {
      await worker.close(true);
      connection.disconnect();
    },
  };
}
