import { conflict } from "../../shared/errors.ts";
import { beforeFirst, type EventId } from "../../shared/run/event-id.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { insertRun } from "../../shared/store/runs/insert-run.ts";
import type { RepeatKey } from "../../shared/store/users/idempotency-keys.ts";
import type { ApiContext } from "../context.ts";
import type { Tail } from "../stream/tail.ts";
import { checkAcceptable } from "./check-acceptable.ts";
import { chooseRunId } from "./choose-run-id.ts";
import { newRun } from "./new-run.ts";

/** `queued`: the run's first event, for a run that this request made; null when it attaches to one that stands. */
export type Accepted = {
  run_id: string;
  thread_id: string | null;
  queued: StreamEvent | null;
  tail: Tail;
  /** Where its stream begins. */
  cursor: EventId;
};

export type Origin = {
  owner: Owner;
  traceparent: string | null;
  /** Requests with the same one share a run. */
  key: RepeatKey | null;
};

/** A run may start before Redis confirmed that we listen; the tail then finds what it missed, a little later. */
const listenPatienceMs = 250;

/**
 * Checks, commits and nudges. After it returned, the run is owed an end, whatever happens to this process. The caller
 * closes the tail, which listens since before the run could have started.
 */
export async function acceptRun(
  ctx: ApiContext,
  request: ExecuteRequest,
  { owner, traceparent, key }: Origin,
): Promise<Accepted> {
  const version = await checkAcceptable(ctx, request, owner);
  const run_id = await chooseRunId(ctx.db, request, key);
  const tail = ctx.hub.open(run_id);
  try {
    const run = newRun(ctx.config.encryptionKeys, { request, version, run_id, traceparent });
    const insertion = await insertRun(ctx.db, run);
    const attached = insertion.kind === "taken";
    if (attached && !insertion.request_hash.equals(run.request_hash))
      throw conflict("run_id_taken", `The run id '${run_id}' stands for another request.`);
    if (!attached) await nudge(ctx, run_id, tail);
    return { run_id, thread_id: run.thread_id, queued: attached ? null : run.queued_event, tail, cursor: beforeFirst };
  } catch (error) {
    tail.close();
    throw error;
  }
}

async function nudge(ctx: ApiContext, runId: string, tail: Tail): Promise<void> {
  let patience: NodeJS.Timeout | undefined;
  await Promise.race([tail.listening, new Promise((resolve) => (patience = setTimeout(resolve, listenPatienceMs)))]);
  clearTimeout(patience);
  // Lost nudges are found by the workers' poll.
  ctx.queue
    .dispatch(runId)
    .catch((error: unknown) => ctx.log.warn({ run_id: runId, err: String(error) }, "not nudged"));
}
