import { type Loop, startLoop } from "../../../shared/platform/lifecycle/start-loop.ts";
import { consumeTicks } from "../consume.ts";
import type { WorkerContext } from "../../context.ts";
import { type FireDeps, fireDueJobs } from "./fire-due-jobs.ts";
import { createUncheckedJobs } from "./unchecked-jobs.ts";
import { errorText } from "../../../shared/platform/error-text.ts";
import { logFaults } from "../../../shared/platform/log.ts";

/** A tick whose nudge is late or lost fires at most this much later. */
const pollMs = 1_000;

/** Fires jobs that are due: when a nudge says that a tick has come, and each second in case the nudge was lost. */
export function fireSchedules(ctx: Omit<FireDeps, "unchecked"> & Pick<WorkerContext, "config">): Loop {
  const { config, log } = ctx;
  const unchecked = createUncheckedJobs();
  const leaving = new AbortController();
  const fire = () => fireDueJobs({ ...ctx, unchecked }, leaving.signal);
  const onError = logFaults(log, "ticks");
  const loop = startLoop("fire-due-jobs", pollMs, log, fire);
  const consumer = consumeTicks({ ...config.redis, onError }, () =>
    fire().catch((error: unknown) =>
      log.warn(
        { duty: "fire-due-jobs", err: errorText(error) },
        "due jobs could not be fired at a nudge; the poll tries again",
      ),
    ),
  );
  return {
    async close() {
      leaving.abort();
      await Promise.all([loop.close(), consumer.pause().then(() => consumer.close())]);
    },
  };
}
