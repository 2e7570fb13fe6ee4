import { type Loop, startLoop } from "../../../shared/platform/lifecycle/start-loop.ts";
import { consumeTicks } from "../consume.ts";
import type { WorkerContext } from "../../context.ts";
import { fireDueJobs } from "./fire-due-jobs.ts";

/** What a nudge may be late by, or lost. */
const lookEveryMs = 1_000;

/** This worker's share of firing jobs: when a nudge says that a tick has come, and each second in case none does. */
export function fireSchedules(ctx: WorkerContext): Loop {
  const { config, log } = ctx;
  const leaving = new AbortController();
  const fire = () => fireDueJobs(ctx, leaving.signal);
  const onError = (error: Error): void => log.warn({ part: "ticks", err: error.message }, "connection fault");
  const loop = startLoop("fire-due-jobs", lookEveryMs, log, fire);
  const consumer = consumeTicks({ ...config.redis, onError }, () =>
    fire().catch((error: unknown) =>
      log.warn({ duty: "fire-due-jobs", err: String(error) }, "a nudge came to nothing"),
    ),
  );
  return {
    async close() {
      leaving.abort();
      await Promise.all([loop.close(), consumer.pause().then(() => consumer.close())]);
    },
  };
}
