import { retryDelayMs } from "../../shared/domain/retry/agent-retry-delay.ts";
import { addUsage } from "../../shared/domain/run/add-usage.ts";
import { runLimits } from "../../shared/domain/run/limits.ts";
import type { Outcome } from "../../shared/domain/run/terminal-event.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import type { RunError, Usage } from "../../shared/schemas/run-event.ts";
import type { ExitFrame } from "../channel/frame-schema.ts";
import type { AbortReason } from "../lease/abort-reason.ts";
import type { AttemptResult, InterruptFrame } from "./attempt-result.ts";

/**
 * What becomes of a run when an attempt's agent is over.
 * - `leave`: the run is no longer this worker's. - `give_back`: this worker drains, another one executes the run.
 * - `interrupt`: the run waits for a person. - `retry`: the run is executed again after a delay. - `finish`: the run ends.
 */
export type Ending =
  | { kind: "leave"; usage: Usage | null }
  | { kind: "give_back" }
  | { kind: "interrupt"; question: InterruptFrame; state_snapshot: string | null; usage: Usage | null }
  | { kind: "retry"; delay_ms: number; error: RunError; usage: Usage | null }
  | { kind: "finish"; outcome: Outcome; output: { output: unknown } | null; said: string | null };

/** What the decision depends on beside the result itself. */
export type Circumstances = {
  /** Why the agent was stopped; null when it ended by itself. */
  aborted: AbortReason | null;
  /** Why the result, or the question, breaks a schema of the agent's author. */
  schemaError: RunError | null;
  /** What the attempts before this one used. */
  spent: Usage | null;
  timeout_ms: number;
  retry: AgentConfig["retry"];
  /** How many attempts of the run the agent itself failed before this one. */
  failed_attempts: number;
  /** Between 0 and 1, for the spread of delays. */
  random: number;
  /** Whether the run may become `interrupted` or `scheduled`. False after the store refused that. */
  mayPutAside: boolean;
};

export function decideEnding(result: AttemptResult, circumstances: Circumstances): Ending {
  const { aborted, schemaError, retry, failed_attempts: failed, random, mayPutAside } = circumstances;
  const { interrupt, state_snapshot } = result;
  const usage = measuredUsage(result, circumstances.spent);
  const asks = interrupt !== null && !result.result && !result.error;
  if (asks && !aborted && !schemaError && mayPutAside)
    return { kind: "interrupt", question: interrupt, state_snapshot, usage };
  const decided = decideOutcome(result, circumstances);
  if (decided === "leave") return { kind: decided, usage };
  if (decided === "give_back") return { kind: decided };
  const outcome: Outcome = { ...decided, state_snapshot, usage };
  const { error } = outcome;
  const delay_ms = mayPutAside ? retryDelayMs(retry, { error, failed, random }) : null;
  if (delay_ms !== null && error !== null) return { kind: "retry", delay_ms, error, usage };
  return { kind: "finish", outcome, output: joinOutputs(result.outputs), said: saidBesides(result) };
}

/** Limits after which a result does not count: output before it was dropped. */
const limitAborts = new Set(["output_limit", "event_limit", "event_too_large", "artifact_limit", "budget_exceeded"]);

type Decided = Pick<Outcome, "status" | "result_content" | "error">;

/**
 * A complete result counts, even when the agent was stopped right after it, unless the agent broke a limit before it.
 * Otherwise the reason of the stop decides, then the agent's own error, then the way its process ended.
 */
function decideOutcome(
  result: AttemptResult,
  { aborted, schemaError, timeout_ms }: Circumstances,
): Decided | "leave" | "give_back" {
  if (aborted === "fenced") return "leave";
  const failed = (error: RunError): Decided => ({ status: "error", result_content: null, error });
  if (result.result && !limitAborts.has(aborted ?? "")) {
    const result_content = resultContent(result.result.result_content, result.outputs);
    if (Buffer.byteLength(JSON.stringify(result_content)) > runLimits.result_bytes) return failed(resultTooLarge());
    return schemaError ? failed(schemaError) : { status: "success", result_content, error: null };
  }
  if (aborted === "draining") return "give_back";
  if (aborted === "cancelled") return { status: "cancelled", result_content: null, error: null };
  if (aborted === "deadline") {
    const error = ourError("timeout", `The run's agent did not end within ${timeout_ms} ms.`);
    return { status: "timeout", result_content: null, error };
  }
  return failed(errorOf(result, aborted, schemaError));
}

/** Returns an object as it is, any other value as `{output: value}`, and for no value what was output. */
export function resultContent(returned: unknown, outputs: unknown[]): unknown {
  if (returned === null || returned === undefined) return joinOutputs(outputs);
  return typeof returned === "object" && !Array.isArray(returned) ? returned : { output: returned };
}

/** Returns the text among the outputs. Null where there is none, or where the agent returned nothing, so that its outputs are the result. */
function saidBesides({ result, outputs }: AttemptResult): string | null {
  if (result?.result_content == null) return null;
  return outputs.filter((part) => typeof part === "string").join("") || null;
}

/** Returns text joined, anything else as a list; null when nothing was output. */
function joinOutputs(outputs: unknown[]): { output: unknown } | null {
  if (outputs.length === 0) return null;
  return { output: outputs.every((part) => typeof part === "string") ? outputs.join("") : outputs };
}

/** What the agent reported, with what was measured of its process, added to what the earlier attempts used. */
function measuredUsage({ usage, exit }: AttemptResult, spent: Usage | null): Usage | null {
  const cpu = exit?.cpu_ms == null ? {} : { cpu_ms: exit.cpu_ms };
  const memory = exit?.max_rss_bytes == null ? {} : { max_rss_bytes: exit.max_rss_bytes };
  const measured = { ...usage, ...cpu, ...memory };
  return addUsage(spent, Object.keys(measured).length > 0 ? measured : null);
}

const limitMessages: Record<string, string> = {
  output_limit: "The run's output exceeds its limit.",
  event_limit: "The run sent more events than it may.",
  event_too_large: "One event of the run is larger than an event may be.",
  artifact_limit: "The run stored more bytes of files than it may.",
  budget_exceeded: "The run used more than its agent's budget or its request (max_cost_usd, max_tokens) allows.",
  memory: "The run used more memory than it may.",
  cpu: "The run used more processor time than it may.",
  processes: "The run started more processes than it may.",
  disk: "The run wrote more to disk than it may.",
};

function errorOf({ error, exit }: AttemptResult, aborted: AbortReason | null, schemaError: RunError | null): RunError {
  if (aborted) return ourError(aborted, limitMessages[aborted] ?? "The run was stopped.");
  if (exit?.limit) return ourError(`${exit.limit}_limit`, limitMessages[exit.limit] ?? "The run exceeded a limit.");
  if (exit?.breach !== undefined) return endedWithoutResult(exit);
  return error ? nameLimit(error) : (schemaError ?? endedWithoutResult(exit));
}

function endedWithoutResult(exit: ExitFrame | null): RunError {
  if (exit?.breach !== undefined)
    return ourError(
      "sandbox_breach",
      `The sandbox was ended, because the agent broke a rule of its channels: ${exit.breach}.`,
    );
  const way = exit?.signal ? `was ended by ${exit.signal}` : `exited with code ${exit?.code ?? "unknown"}`;
  return ourError("process_exited", `The agent's process ${way} without a result.`);
}

/** The agent's process refuses a value that is too long for a frame. The error names the limit that the worker would apply. */
function nameLimit(error: RunError): RunError {
  if (error.type === "ResultTooLarge") return resultTooLarge();
  if (error.type === "EventTooLarge") return { ...error, code: "event_too_large" };
  return error.type === "ArtifactTooLarge" ? { ...error, code: "artifact_limit" } : error;
}

const resultTooLarge = (): RunError =>
  ourError("result_too_large", `The result is larger than ${runLimits.result_bytes} bytes.`);

function ourError(code: string, message: string): RunError {
  return { code, type: null, message, traceback: null };
}
