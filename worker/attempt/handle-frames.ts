import { trace } from "../../shared/platform/trace.ts";
import type { Redactor } from "../../shared/platform/secrets/redact.ts";
import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import type { AgentFrame, Frame } from "../channel/frame-schema.ts";
import type { WorkerContext } from "../context.ts";
import type { Hold } from "../lease/hold-leases.ts";
import { frameToEvent, startedEvent } from "../output/frame-to-event.ts";
import { createOutputLimiter, type OutputLimits } from "../output/limit-output.ts";
import type { RunOutput } from "../output/run-output.ts";
import { type ArtifactFrame, createArtifactStore } from "../output/store-artifact.ts";
import type { Attempt } from "./attempt.ts";
import { type AttemptResult, collectFrame } from "./attempt-result.ts";

type Handling = {
  attempt: Attempt;
  hold: Hold;
  output: RunOutput;
  /** What decides the attempt's end is collected here. */
  result: AttemptResult;
  /** Replaces the run's secrets. */
  redact: Redactor;
  limits: OutputLimits;
};

/** Handles an attempt's frames one after another: publishes them redacted and limited, and collects what decides its end. */
export function createFrameHandler(
  deps: Pick<WorkerContext, "db" | "workerId" | "sandbox">,
  { attempt, hold, output, result, redact, limits }: Handling,
): (frame: Frame) => Promise<void> {
  const limit = createOutputLimiter(limits);
  const store = createArtifactStore(deps.db, attempt);

  /** Returns false when the event comes too late, or breaks a limit. */
  const publish = async (body: RunEventBody): Promise<boolean> => {
    if (hold.signal.aborted) return false;
    const limited = limit(body);
    if ("broken" in limited) {
      hold.stop(limited.broken);
      return false;
    }
    for (const event of limited.pass) {
      if (event.type === "output.delta") result.outputs.push(event.content);
      await output.push(event);
    }
    return true;
  };

  return async (frame) => {
    trace(attempt.id, frame.type === "started" ? "taken" : "first_frame");
    if (frame.type === "started") return output.push(startedEvent(deps, attempt, frame));
    if (frame.type === "exit") {
      result.exit = frame;
      return;
    }
    if (frame.type === "artifact") {
      const stored = await store(redactNames(redact, frame));
      return "broken" in stored ? hold.stop(stored.broken) : void (await publish(stored.event));
    }
    const clean: AgentFrame = redact.frame(frame);
    const event = frameToEvent(clean);
    const isPublished = event === null || (await publish(event));
    // Usage counts even when it broke the budget: it was spent.
    if (isPublished || clean.type === "usage") collectFrame(result, clean);
  };
}

/** A file's name and type become part of an event; its content is stored as it is. */
const redactNames = (redact: Redactor, { name, mime, ...file }: ArtifactFrame): ArtifactFrame => ({
  ...file,
  name: redact.text(name),
  // A type that held a secret is no type any more: it is guessed then.
  mime: mime !== null && redact.text(mime) === mime ? mime : null,
});
