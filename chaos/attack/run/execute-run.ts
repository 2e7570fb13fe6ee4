import { performance } from "node:perf_hooks";
import type { Frame, ExitFrame } from "../../../worker/channel/frame-schema.ts";
import { isStepFrame } from "../../../worker/channel/step-frame.ts";
import { frameToEvent } from "../../../worker/output/frame-to-event.ts";
import { createOutputLimiter } from "../../../worker/output/limit-output.ts";
import { SandboxUnavailable } from "../../../worker/sandbox/sandbox.ts";
import type { Ending } from "../attack.ts";

/** What a run's caller knows at the run's end. */
export type Executed = {
  ending: Ending;
  result: unknown;
  /** The message of the program's error, or of the breach. */
  message: string | null;
  cpuMs: number | null;
  warm: boolean;
  tookMs: number;
  frames: number;
};

/** Enough for honest runs. */
const outputLimits = { output_bytes: 1024 * 1024, events: 5_000, budget: undefined, spent: null };
/** A run that has not ended this long after its deadline never ends. */
const graceMs = 6_000;

/** Executes a run as the worker does, with its deadline and its output limits. */
export async function executeRun(
  run: (signal: AbortSignal) => AsyncIterable<Frame>,
  timeoutMs: number,
): Promise<Executed> {
  const controller = new AbortController();
  const startedAt = performance.now();
  const seen: Seen = { stopped: null, warm: false, last: null, exit: null, frames: 0 };
  const deadline = setTimeout(() => {
    seen.stopped ??= "timeout";
    controller.abort();
  }, timeoutMs);
  let given: NodeJS.Timeout | undefined;
  const never = new Promise<"never">((resolve) => (given = setTimeout(resolve, timeoutMs + graceMs, "never")));
  let fault: unknown = null;
  const reading = readAll(run(controller.signal), seen, controller).catch((error: unknown) => void (fault = error));
  const how = await Promise.race([reading, never]);
  clearTimeout(deadline);
  clearTimeout(given);
  const isUnavailable = fault instanceof SandboxUnavailable;
  if (fault !== null && !isUnavailable) throw new Error("The worker failed.", { cause: fault });
  const tookMs = performance.now() - startedAt;
  if (how === "never") return { ...summaryOf(seen), message: "It never ended.", tookMs };
  const unavailable = isUnavailable ? { ending: "unavailable" as const, message: causeOf(fault) } : {};
  return { ...summaryOf(seen), ...unavailable, tookMs };
}

const causeOf = (error: unknown): string =>
  error instanceof Error
    ? `${error.message}${error.cause === undefined ? "" : `, since ${causeOf(error.cause)}`}`
    : String(error);

type Last = Extract<Frame, { type: "result" | "error" | "interrupt" }>;
type Seen = { stopped: Ending | null; warm: boolean; last: Last | null; exit: ExitFrame | null; frames: number };

async function readAll(frames: AsyncIterable<Frame>, seen: Seen, controller: AbortController): Promise<void> {
  const limit = createOutputLimiter(outputLimits);
  for await (const frame of frames) {
    seen.frames += 1;
    if (frame.type === "started") seen.warm = frame.warm;
    else if (frame.type === "exit") seen.exit = frame;
    else if (!isStepFrame(frame)) {
      const event = frameToEvent(frame);
      if (event === null) seen.last ??= isLast(frame) ? frame : null;
      else if (seen.stopped === null && "broken" in limit(event)) {
        seen.stopped = "output";
        controller.abort();
      }
    }
  }
}

const isLast = (frame: Frame): frame is Last =>
  frame.type === "result" || frame.type === "error" || frame.type === "interrupt";

function summaryOf({ stopped, warm, last, exit, frames }: Seen): Omit<Executed, "tookMs"> {
  const result = last?.type === "result" ? last.result_content : undefined;
  const said = last?.type === "error" ? `${last.error_type}: ${last.message}` : null;
  return {
    ending: stopped ?? endingOf(last, exit),
    result,
    message: exit?.breach ?? said,
    cpuMs: exit?.cpu_ms ?? null,
    warm,
    frames,
  };
}

function endingOf(last: Last | null, exit: ExitFrame | null): Ending {
  if (exit?.limit != null) return exit.limit;
  if (exit?.breach !== undefined) return "breach";
  if (exit?.signal != null) return "killed";
  if (last?.type === "result")
    return Array.isArray(last.result_content) && last.result_content.length === 0 ? "refused" : "succeeded";
  return last === null ? "exited" : "raised";
}
