import type { NewRun } from "../../shared/store/runs/insert-run.ts";
import { trace } from "../../shared/platform/trace.ts";
import type { ApiContext } from "../context.ts";
import type { Tail } from "../stream/tail.ts";

/** A run may start before Redis confirmed that we listen; the tail then finds what it missed, a little later. */
const listenPatienceMs = 250;

/** Asks some worker to take a committed run, once `tail`, if any, listens. Lost nudges are found by the workers' poll. */
export async function nudgeRun(ctx: ApiContext, run: NewRun, tail: Tail | null): Promise<void> {
  const { id, agent_id, lifecycle } = run;
  trace(id, "committed");
  let patience: NodeJS.Timeout | undefined;
  const patient = new Promise((resolve) => (patience = setTimeout(resolve, listenPatienceMs)));
  await Promise.race([tail?.listening, patient]);
  clearTimeout(patience);
  const nudged = lifecycle === "daemon" ? ctx.streams.signalDaemons("mail", agent_id) : ctx.queue.dispatch(id);
  nudged
    .then(() => trace(id, "queued"))
    .catch((error: unknown) => ctx.log.warn({ run_id: id, err: String(error) }, "not nudged"));
}
