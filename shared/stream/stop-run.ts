import type { Redis } from "ioredis";
import { workerChannel } from "./keys.ts";

/** Tells a worker to look at a run's row and heed it. A hint that may be lost: the worker's heartbeat finds it too. */
export async function tellWorkerToStop(redis: Redis, prefix: string, workerId: string, runId: string): Promise<void> {
  await redis.publish(workerChannel(prefix, workerId), `stop ${runId}`);
}
