import { trace } from "../../shared/platform/run-trace-marks.ts";
import type { Redactor } from "../../shared/platform/secrets/redact.ts";
import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import type { Replies } from "../adapters/adapter.ts";
import type { AgentFrame, Frame } from "../channel/frame-schema.ts";
import { isStepFrame, type StepFrame } from "../channel/step-frame.ts";
import type { WorkerContext } from "../context.ts";
import { type Journal, openJournal } from "../journal/journal.ts";
import { type ReplayState, retainedEventsOf } from "../journal/read-replay-state.ts";
import { abortReasonOf } from "../lease/abort-reason.ts";
import type { Hold } from "../lease/hold-leases.ts";
import { frameToEvent, startedEvent } from "../output/frame-to-event.ts";
import { createOutputLimiter, type OutputLimits } from "../output/limit-output.ts";
import type { RunOutput } from "../output/run-output.ts";
import { type ArtifactFrame, createArtifactStore } from "../output/store-artifact.ts";
import type { Attempt } from "./attempt.ts";
import { type AttemptResult, collectFrame } from "./attempt-result.ts";

type FrameHandlerOptions = {
  attempt: Attempt;
  hold: Hold;
  output: RunOutput;
  /** What decides the attempt's end is collected here. */
  result: AttemptResult;
  /** Replaces the run's secrets. */
  redact: Redactor;
  limits: OutputLimits;
  /** What the run's earlier attempts have kept. */
  kept: ReplayState | null;
  replies: Replies;
};

/** `settled` resolves when everything that the frames have asked for is committed. */
export type FrameHandler = {
  handle: (frame: Frame) => Promise<void>;
  /** Publishes an event that is the worker's own. */
  publish: (event: RunEventBody) => Promise<void>;
  journal: Pick<Journal, "look" | "drain">;
  settled: () => Promise<void>;
};

/** Handles an attempt's frames one after another: publishes them redacted and limited, and collects what decides its end. */
export function createFrameHandler(
  deps: Pick<
    WorkerContext,
    "config" | "db" | "workerId" | "sandbox" | "spans" | "metrics" | "jsonSchemas" | "queue" | "streams" | "journals"
  >,
  { attempt, hold, output, result, redact, limits, kept, replies }: FrameHandlerOptions,
): FrameHandler {
  const limit = createOutputLimiter(limits);
  const store = createArtifactStore(deps.db, attempt);
  const journal = openJournal({
    deps,
    run: attempt,
    kept,
    publish: async (event, segment) => void (await publish(redact.frame(event), segment)),
    save: () => output.save(),
    reply(line) {
      replies.write?.(line);
      return replies.write !== null;
    },
    stop: (reason) => hold.stop(reason),
    suspend: (suspension) => void (result.suspension = suspension),
    isCrowded: () => deps.journals.size >= deps.config.worker.slots,
  });

  /** Returns false when the event comes too late, or breaks a limit. `segment`: what says it. */
  async function publish(body: RunEventBody, segment: string | null = null): Promise<boolean> {
    if (hold.signal.aborted && !isAskedToEnd(hold.signal)) return false;
    const limited = limit(body);
    if ("broken" in limited) {
      hold.stop(limited.broken);
      return false;
    }
    for (const event of limited.pass) {
      const isOutput = event.type === "output.delta";
      if (isOutput) result.outputs.push(event.content);
      deps.spans?.published(attempt.id, event);
      journal.say(segment, output.sent().events + 1, isOutput);
      await output.push(event);
    }
    return true;
  }

  /** Once the attempt is stopped its words are dropped, so its steps must not be kept: nobody would say them again. */
  async function handleStep(frame: StepFrame): Promise<void> {
    if (hold.signal.aborted) return;
    result.waits ||= frame.type === "wait.open" || frame.type === "child.open" || (kept?.open.length ?? 0) > 0;
    if (replies.write) {
      if (frame.type !== "continue") return journal.take(frame);
      result.continues_with ??= frame.input_payload;
      return;
    }
    const message = `The agent wrote a frame '${frame.type}'. Only Python and Node processes of one run have steps.`;
    await publish({ type: "log", level: "warn", stream: "agent", message });
  }

  async function handle(frame: Frame): Promise<void> {
    trace(attempt.id, frame.type === "started" ? "taken" : "first_frame");
    if (frame.type !== "idle") journal.disturb();
    if (frame.type === "started") {
      deps.metrics.started({ adapter: attempt.adapter_type, warm: frame.warm });
      journal.say(null, output.sent().events + 1, false);
      await output.push(startedEvent(deps, attempt, frame, kept && retainedEventsOf(kept, attempt.attempt)));
      return journal.begin();
    }
    if (frame.type === "exit") {
      result.exit = frame;
      return;
    }
    return isStepFrame(frame) ? handleStep(frame) : handleContent(frame);
  }

  async function handleContent(frame: AgentFrame): Promise<void> {
    // What it says of having been stopped in mid-call.
    if (abortReasonOf(hold.signal) === "awaiting_approval") return;
    const segment = ("segment" in frame && frame.segment) || null;
    if (frame.type === "artifact") {
      const stored = await store(redactNames(redact, frame));
      return "broken" in stored ? hold.stop(stored.broken) : void (await publish(stored.event, segment));
    }
    const clean: AgentFrame = redact.frame(frame);
    const event = frameToEvent(clean);
    const isPublished = event === null || (await publish(event, segment));
    // Usage counts even when it broke the budget: it was spent.
    if (isPublished || clean.type === "usage") collectFrame(result, clean);
  }

  return {
    handle,
    journal,
    publish: async (event) => void (await publish(event)),
    settled: () => journal.settled(),
  };
}

/** True while an agent that was asked to end cleans up: what it says then is told as well. */
const isAskedToEnd = (signal: AbortSignal): boolean =>
  ["cancelled", "deadline", "draining"].includes(abortReasonOf(signal) ?? "");

/** A file's name and type become part of an event; its content is stored as it is. */
const redactNames = (redact: Redactor, { name, mime, ...file }: ArtifactFrame): ArtifactFrame => ({
  ...file,
  name: redact.text(name),
  // A type that held a secret is no type any more: it is guessed then.
  mime: mime !== null && redact.text(mime) === mime ? mime : null,
});
