import { Worker } from "bullmq";
import { connectSubscriber } from "../shared/stream/connection.ts";
import { bullPrefix, runsQueue } from "../shared/queue/names.ts";
import { runJob } from "../shared/schemas/dispatch.ts";

export type Consumer = {
  /** Takes no further job. */
  pause(): Promise<void>;
  close(): Promise<void>;
};

type Options = { url: string; prefix: string; concurrency: number; onError: (error: Error) => void };

/**
 * The one BullMQ worker of this process. It knows nothing but `execute`, which hears when the job was made (epoch ms): a job
 * is a nudge, and Postgres decides whether there is something to do. So a job never fails, is never retried, and may come twice.
 */
export function consumeRuns(
  { url, prefix, concurrency, onError }: Options,
  execute: (runId: string, queuedAt: number) => Promise<void>,
): Consumer {
  const connection = connectSubscriber(url, onError);
  const worker = new Worker(
    runsQueue,
    async (job) => {
      const parsed = runJob.safeParse(job.data);
      if (parsed.success) await execute(parsed.data.run_id, job.timestamp);
    },
    { connection, prefix: bullPrefix(prefix), concurrency, maxStalledCount: 1_000, skipVersionCheck: true },
  );
  worker.on("error", onError);
  return {
    pause: () => worker.pause(true),
    async close() {
      await worker.close(true);
      connection.disconnect();
    },
  };
}
