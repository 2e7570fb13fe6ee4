import { conflict, notFound, unavailable } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { newRun } from "../../shared/new-run.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import { resolveVersion } from "../../shared/store/agents/resolve-version.ts";
import { insertRun, type NewRun } from "../../shared/store/runs/insert-run.ts";
import { trace } from "../../shared/trace.ts";
import type { ApiContext } from "../context.ts";
import type { Tail } from "../stream/tail.ts";
import { checkRequest } from "./check-request.ts";
import { readyLifecycle } from "./ready-lifecycle.ts";

/** `queued`: the run's first event, for a run that this request made; null when it attaches to one that stands. */
export type Accepted = { run_id: string; thread_id: string | null; queued: StreamEvent | null; tail: Tail };

/** A run may start before Redis confirmed that we listen; the tail then finds what it missed, a little later. */
const listenPatienceMs = 250;

/**
 * Checks, commits and nudges. After it returned, the run is owed an end, whatever happens to this process. The caller
 * closes the tail, which listens since before the run could have started.
 */
export async function acceptRun(
  ctx: ApiContext,
  request: ExecuteRequest,
  traceparent: string | null,
): Promise<Accepted> {
  const run_id = request.run_id ?? newId("run");
  trace(run_id, "received");
  checkRequest(request, ctx.config.callbacks.allowCidrs);
  const version = await resolveVersion(ctx.db, request.agent_id, request.version);
  if ("missing" in version)
    throw version.missing === "agent" ? notFound("agent", request.agent_id) : notFound("version", request.version);
  if (version.status !== "active") throw conflict("agent_not_active", `The agent is ${version.status}.`);
  if (!(await ctx.fleet.offers(request.adapter_type)))
    throw unavailable("no_worker", `No live worker offers the adapter '${request.adapter_type}'.`, 5);
  await readyLifecycle(ctx, request, version);

  trace(run_id, "resolved");
  const tail = ctx.hub.open(run_id);
  try {
    const run = newRun(ctx.config.encryptionKeys, { request, version, run_id, traceparent, origin: "api" });
    const insertion = await insertRun(ctx.db, run);
    trace(run_id, "committed");
    const attached = insertion.kind === "taken";
    if (attached && !insertion.request_hash.equals(run.request_hash))
      throw conflict("run_id_taken", `The run id '${run_id}' stands for another request.`);
    if (!attached) await nudge(ctx, run, tail);
    return { run_id, thread_id: run.thread_id, queued: attached ? null : run.queued_event, tail };
  } catch (error) {
    tail.close();
    throw error;
  }
}

async function nudge(ctx: ApiContext, { id, agent_id, lifecycle }: NewRun, tail: Tail): Promise<void> {
  let patience: NodeJS.Timeout | undefined;
  await Promise.race([tail.listening, new Promise((resolve) => (patience = setTimeout(resolve, listenPatienceMs)))]);
  clearTimeout(patience);
  // Lost nudges are found by the workers' poll.
  const nudged = lifecycle === "daemon" ? ctx.streams.tellDaemons("mail", agent_id) : ctx.queue.dispatch(id);
  nudged
    .then(() => trace(id, "queued"))
    .catch((error: unknown) => ctx.log.warn({ run_id: id, err: String(error) }, "not nudged"));
}
