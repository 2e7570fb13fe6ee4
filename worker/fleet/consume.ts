import { type Job, Worker } from "bullmq";
import { connectSubscriber } from "../../shared/platform/stream/connection.ts";
import { bullPrefix, runsQueue, ticksQueue } from "../../shared/platform/queue/names.ts";
import { runJob } from "../../shared/schemas/dispatch.ts";

export type Consumer = {
  /** Takes no further job. */
  pause(): Promise<void>;
  close(): Promise<void>;
};

type Options = { url: string; prefix: string; concurrency: number; onError: (error: Error) => void };

/**
 * The BullMQ worker for runs. It knows nothing but `execute`, which hears when the job was made (epoch ms): a job is a nudge,
 * and Postgres decides whether there is something to do. So a job never fails, is never retried, and may come twice.
 */
export function consumeRuns(options: Options, execute: (runId: string, queuedAt: number) => Promise<void>): Consumer {
  return consume(runsQueue, options, async (job) => {
    const parsed = runJob.safeParse(job.data);
    if (parsed.success) await execute(parsed.data.run_id, job.timestamp);
  });
}

/** The one that hears that some job's tick has come. */
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
    prefix: bullPrefix(prefix),
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
