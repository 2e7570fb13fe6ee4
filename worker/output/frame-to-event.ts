import { type EventId, formatEventId } from "../../shared/domain/run/event-id.ts";
import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import type { Attempt } from "../attempt/attempt.ts";
import type { AgentFrame } from "../channel/frame-schema.ts";
import type { WorkerContext } from "../context.ts";

/** Frames that tell how the run ended, and files, which are stored first. */
type Silent = "result" | "error" | "interrupt" | "artifact";

/** The event that an agent's frame becomes by itself; null for those that don't. */
export function frameToEvent(frame: AgentFrame): RunEventBody | null {
  if (isSilent(frame)) return null;
  return frame.type === "output" ? { type: "output.delta", content: frame.content } : frame;
}

function isSilent(frame: AgentFrame): frame is Extract<AgentFrame, { type: Silent }> {
  return frame.type === "result" || frame.type === "error" || frame.type === "interrupt" || frame.type === "artifact";
}

/** The event of a run's queueing: the only one before a first attempt that never waited. */
const queuedEvent: EventId = { attempt: 0, seq: 1 };

type Ctx = Pick<WorkerContext, "workerId" | "sandbox">;

/** That an attempt has begun: where, how, and what is before it. `warm`: its agent stood ready. */
export function startedEvent(ctx: Ctx, attempt: Attempt, warm: boolean): RunEventBody {
  const { adapter_type, runtime_mode, lifecycle, requeue_reason, wait_reason } = attempt;
  const follows = attempt.attempt === 1 && wait_reason === null && { follows: formatEventId(queuedEvent) };
  const discards = requeue_reason && { discards: { attempt: attempt.attempt - 1, reason: requeue_reason } };
  const sandbox = ctx.sandbox.report;
  const started = {
    type: "run.started",
    worker_id: ctx.workerId,
    adapter_type,
    runtime_mode,
    lifecycle,
    sandbox,
    warm,
  } as const;
  return { ...started, ...follows, ...discards };
}
