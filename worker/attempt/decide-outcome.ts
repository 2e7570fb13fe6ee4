import { addUsage } from "../../shared/domain/run/add-usage.ts";
import { runLimits } from "../../shared/domain/run/limits.ts";
import type { Outcome } from "../../shared/domain/run/terminal-event.ts";
import type { RunError, Usage } from "../../shared/schemas/run-event.ts";
import type { ExitFrame } from "../channel/frame-schema.ts";
import type { Remains } from "./attempt-result.ts";

/** Not for this worker to end: it lost the run, or hands it back. */
export type Undecided = "fenced" | "give_back";

/** What was yielded or printed, as one object: text joined, anything else as a list; null when there was nothing. */
export function collectOutput(outputs: unknown[]): { output: unknown } | null {
  if (outputs.length === 0) return null;
  return { output: outputs.every((part) => typeof part === "string") ? outputs.join("") : outputs };
}

/** `result_content` is an object or null: an object as returned, another value as `{output}`, nothing as what was output. */
function resultContent(returned: unknown, outputs: unknown[]): unknown {
  if (returned === null || returned === undefined) return collectOutput(outputs);
  return typeof returned === "object" && !Array.isArray(returned) ? returned : { output: returned };
}

/** What was said after these is lost: a result that came behind it is none. */
const saidTooMuch = new Set(["output_limit", "event_limit", "event_too_large", "artifact_limit", "budget_exceeded"]);

/**
 * How a run ended. A result that arrived whole counts, even when the process was stopped right after it, unless it said
 * too much before; else the cause of the stop decides, then the agent's own error, then the way its process went.
 */
export function decideOutcome(remains: Remains): Outcome | Undecided {
  const { result, aborted, outputs, state_snapshot } = remains;
  if (aborted === "fenced") return "fenced";
  const usage = measuredUsage(remains);
  if (result && !saidTooMuch.has(aborted ?? "")) {
    const result_content = resultContent(result.result_content, outputs);
    if (JSON.stringify(result_content).length <= runLimits.result_bytes)
      return { status: "success", result_content, error: null, state_snapshot, usage };
    return { status: "error", result_content: null, error: tooLarge(), state_snapshot, usage };
  }
  if (aborted === "draining") return "give_back";
  const ended = { result_content: null, state_snapshot, usage };
  if (aborted === "cancelled") return { ...ended, status: "cancelled", error: null };
  if (aborted === "deadline") {
    const message = `The run did not end within ${remains.timeout_ms} ms.`;
    return { ...ended, status: "timeout", error: fault("timeout", message) };
  }
  return { ...ended, status: "error", error: errorOf(remains) };
}

/** What the agent reported, with what was measured of its process, and what the attempts before this one used. */
export function measuredUsage({ usage, exit, spent }: Remains): Usage | null {
  const cpu = exit?.cpu_ms == null ? {} : { cpu_ms: exit.cpu_ms };
  const memory = exit?.max_rss_bytes == null ? {} : { max_rss_bytes: exit.max_rss_bytes };
  const measured = { ...usage, ...cpu, ...memory };
  return addUsage(spent, Object.keys(measured).length > 0 ? measured : null);
}

const limitMessages: Record<string, string> = {
  output_limit: "The run's output exceeds its limit.",
  event_limit: "The run sent more events than it may.",
  event_too_large: "One event of the run is larger than an event may be.",
  artifact_limit: "The run handed out more bytes of files than it may.",
  budget_exceeded: "The run used more than its agent's budget allows.",
  memory: "The run used more memory than it may.",
  cpu: "The run used more processor time than it may.",
  processes: "The run started more processes than it may.",
  disk: "The run wrote more to disk than it may.",
};

function errorOf({ error, exit, aborted }: Remains): RunError {
  if (aborted) return fault(aborted, limitMessages[aborted] ?? "The run was stopped.");
  if (exit?.limit) return fault(`${exit.limit}_limit`, limitMessages[exit.limit] ?? "The run exceeded a limit.");
  return error && exit?.breach === undefined ? nameLimit(error) : endedWithoutResult(exit);
}

function endedWithoutResult(exit: ExitFrame | null): RunError {
  if (exit?.breach !== undefined)
    return fault(
      "sandbox_breach",
      `The run's sandbox was ended, since it broke a rule of its channels: ${exit.breach}.`,
    );
  const way = exit?.signal ? `was ended by ${exit.signal}` : `exited with code ${exit?.code ?? "unknown"}`;
  return fault("process_exited", `The agent's process ${way} without a result.`);
}

/** What never left the agent's process, since it was longer than any frame, breaks the limit that it would have broken here. */
function nameLimit(error: RunError): RunError {
  if (error.type === "ResultTooLarge") return tooLarge();
  if (error.type === "EventTooLarge") return { ...error, code: "event_too_large" };
  return error.type === "ArtifactTooLarge" ? { ...error, code: "artifact_limit" } : error;
}

const tooLarge = (): RunError =>
  fault("result_too_large", `The result is larger than ${runLimits.result_bytes} bytes.`);

function fault(code: string, message: string): RunError {
  return { code, type: null, message, traceback: null };
}
