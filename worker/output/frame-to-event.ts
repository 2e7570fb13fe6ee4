import { type EventId, formatEventId } from "../../shared/domain/run/event-id.ts";
import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import type { Attempt } from "../attempt/attempt.ts";
import type { AgentFrame, Started } from "../channel/frame-schema.ts";
import type { WorkerContext } from "../context.ts";

/** Frames that say how the run ends, and files, which are stored before their event is made. */
type WithoutEvent = "result" | "error" | "interrupt" | "artifact";

/** Returns the event that an agent's frame becomes; null for frames that become no event by themselves. */
export function frameToEvent(frame: AgentFrame): RunEventBody | null {
  if (hasNoEvent(frame)) return null;
  return frame.type === "output" ? { type: "output.delta", content: frame.content } : frame;
}

function hasNoEvent(frame: AgentFrame): frame is Extract<AgentFrame, { type: WithoutEvent }> {
  return frame.type === "result" || frame.type === "error" || frame.type === "interrupt" || frame.type === "artifact";
}

/** The event that says that a run is queued. It is the only one before a first attempt that never waited. */
const queuedEvent: EventId = { attempt: 0, seq: 1 };

type Ctx = Pick<WorkerContext, "workerId" | "sandbox">;

/** Returns the event that begins an attempt. */
export function startedEvent(ctx: Ctx, attempt: Attempt, { warm, reused }: Started): RunEventBody {
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
    ...(reused && { reused }),
  } as const;
  return { ...started, ...follows, ...discards };
}
