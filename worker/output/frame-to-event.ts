import { type EventId, formatEventId } from "../../shared/domain/run/event-id.ts";
import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import type { Attempt } from "../attempt/attempt.ts";
import type { AgentFrame, Frame } from "../channel/frame-schema.ts";
import type { WorkerContext } from "../context.ts";
import type { RetainedEvents } from "../journal/read-replay-state.ts";

/** Frames that say how the run ends, and files, which are stored before their event is made. */
const withoutEvent = ["result", "error", "interrupt", "artifact"] as const;
type WithoutEvent = (typeof withoutEvent)[number];

/** Returns the event that an agent's frame becomes; null for frames that become no event by themselves. */
export function frameToEvent(frame: AgentFrame): RunEventBody | null {
  if (hasNoEvent(frame)) return null;
  if (frame.type === "output") return { type: "output.delta", content: frame.content };
  if (frame.type === "usage") return { ...frame, source: "reported" };
  if (!("segment" in frame)) return frame;
  const { segment: _, ...event } = frame;
  return event;
}

const hasNoEvent = <F extends { type: string }>(frame: F): frame is Extract<F, { type: WithoutEvent }> =>
  (withoutEvent as readonly string[]).includes(frame.type);

/** The event that says that a run is queued. It is the only one before a first attempt that never waited. */
const queuedEvent: EventId = { attempt: 0, seq: 1 };

type Ctx = Pick<WorkerContext, "workerId" | "sandbox">;

/** Returns the event that begins an attempt. `standing`: what stands of the attempt before; null: nothing. */
export function startedEvent(
  ctx: Ctx,
  attempt: Attempt,
  { warm, reused }: Extract<Frame, { type: "started" }>,
  standing: RetainedEvents | null,
): RunEventBody {
  const { adapter_type, runtime_mode, lifecycle, requeue_reason, wait_reason } = attempt;
  const follows = attempt.attempt === 1 && wait_reason === null && { follows: formatEventId(queuedEvent) };
  const before = requeue_reason && restartOf(attempt.attempt - 1, requeue_reason, standing);
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
  return { ...started, ...follows, ...before };
}

/** Says what of the attempt before stands; nothing, where it has kept nothing. */
const restartOf = (attempt: number, reason: string, standing: RetainedEvents | null) =>
  standing ? { ...standing, reason } : { discards: { attempt, reason } };
