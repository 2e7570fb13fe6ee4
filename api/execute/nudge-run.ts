import { trace } from "../../shared/trace.ts";
import type { ApiContext } from "../context.ts";
import type { Tail } from "../stream/tail.ts";

/** A run may start before Redis confirmed that we listen; the tail then finds what it missed, a little later. */
const listenPatienceMs = 250;

/** Asks some worker to take a committed run, once `tail`, if any, listens. Lost nudges are found by the workers' poll. */
export async function nudgeRun({ queue, log }: ApiContext, runId: string, tail: Tail | null): Promise<void> {
  trace(runId, "committed");
  let patience: NodeJS.Timeout | undefined;
  const patient = new Promise((resolve) => (patience = setTimeout(resolve, listenPatienceMs)));
  await Promise.race([tail?.listening, patient]);
  clearTimeout(patience);
  queue
    .dispatch(runId)
    .then(() => trace(runId, "queued"))
    .catch((error: unknown) => log.warn({ run_id: runId, err: String(error) }, "not nudged"));
}
