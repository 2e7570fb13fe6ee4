import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import type { Redactor } from "../../shared/platform/secrets/redact.ts";
import { trace } from "../../shared/platform/trace.ts";
import type { Attempt } from "./attempt.ts";
import type { AgentFrame, Frame } from "../channel/frame-schema.ts";
import type { WorkerContext } from "../context.ts";
import type { Hold } from "../lease/hold-leases.ts";
import { keepFrame, type Remains } from "./attempt-result.ts";
import { frameToEvent, startedEvent } from "../output/frame-to-event.ts";
import { type ArtifactFrame, createHandOut } from "../output/store-artifact.ts";
import { createOutputLimiter, type OutputLimits } from "../output/limit-output.ts";
import type { RunOutput } from "../output/run-output.ts";

type Play = {
  attempt: Attempt;
  hold: Hold;
  output: RunOutput;
  remains: Remains;
  /** Of the values that must not leave the run. */
  redact: Redactor;
  limits: OutputLimits;
};

/** A file's name and type are told to others as events are; its content is handed out as it is. */
const describe = (redact: Redactor, { name, mime, ...file }: ArtifactFrame): ArtifactFrame => ({
  ...file,
  name: redact.text(name),
  // A type that held a secret is no type any more: it is guessed then.
  mime: mime !== null && redact.text(mime) === mime ? mime : null,
});

/** Takes an attempt's frames one after another: keeps what decides its end, sends on the rest redacted and limited. */
export function createFrameTaker(ctx: WorkerContext, play: Play): (frame: Frame) => Promise<void> {
  const { attempt, hold, output, remains, redact } = play;
  const limit = createOutputLimiter(play.limits);
  const handOut = createHandOut(ctx.db, attempt);

  /** False: it comes too late, or breaks a limit. */
  const send = async (body: RunEventBody): Promise<boolean> => {
    if (hold.signal.aborted) return false;
    const passage = limit(body);
    if ("broken" in passage) {
      hold.stop(passage.broken);
      return false;
    }
    for (const piece of passage.pass) {
      if (piece.type === "output.delta") remains.outputs.push(piece.content);
      await output.push(piece);
    }
    return true;
  };

  return async (frame) => {
    trace(attempt.id, frame.type === "started" ? "taken" : "first_frame");
    if (frame.type === "started") return output.push(startedEvent(ctx, attempt, frame.warm));
    if (frame.type === "exit") {
      remains.exit = frame;
      return;
    }
    if (frame.type === "artifact") {
      const handed = await handOut(describe(redact, frame));
      return "broken" in handed ? hold.stop(handed.broken) : void (await send(handed.pass));
    }
    const clean: AgentFrame = redact.frame(frame);
    const event = frameToEvent(clean);
    const isTold = event === null || (await send(event));
    if (isTold || clean.type === "usage") keepFrame(remains, clean);
  };
}
