import { retryDelayMs } from "../../shared/domain/retry/agent-retry.ts";
import { addUsage } from "../../shared/domain/run/add-usage.ts";
import { runLimits } from "../../shared/domain/run/run-limits.ts";
import type { Outcome } from "../../shared/domain/run/terminal-event.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import type { RunError, TokenUsage, Usage } from "../../shared/schemas/run-event.ts";
import type { ExitFrame } from "../channel/frame-schema.ts";
import type { AbortReason } from "../lease/abort-reason.ts";
import type { Suspension } from "../channel/suspension.ts";
import type { AttemptResult, Question } from "./attempt-result.ts";

/**
 * What becomes of a run when an attempt's agent is over.
 * - `leave`: the run is no longer this worker's. - `give_back`: this worker drains, or can't run the agent for now: another one
 *   executes the run.
 * - `restart`: the run goes on by its journal, in another process.
 * - `suspend`: the run waits for what the service knows of, without a process.
 * - `continue`: the run goes on as a fresh one, with another input and an empty journal.
 * - `interrupt`: the run waits for a person. - `retry`: the run is executed again after a delay. - `finish`: the run ends.
 */
export type Ending =
  | { kind: "leave"; usage: Usage | null }
  | { kind: "give_back"; reason: "drained" | "no_packages" }
  | { kind: "restart" }
  | { kind: "suspend"; suspension: Suspension; state_snapshot: string | null; usage: Usage | null }
  | { kind: "interrupt"; question: Question; state_snapshot: string | null; usage: Usage | null }
  | (ContinueEnding & { state_snapshot: string | null; usage: Usage | null })
  | { kind: "retry"; delay_ms: number; error: RunError; usage: Usage | null }
  | { kind: "finish"; outcome: Outcome; output: { output: unknown } | null; said: string | null };

/** `continued`: how often the run has gone on so before. */
type ContinueEnding = { kind: "continue"; input_payload: Record<string, unknown>; continued: number };

/** What the decision depends on beside the result itself. */
export type EndingContext = {
  /** Why the agent was stopped; null when it ended by itself. */
  aborted: AbortReason | null;
  /** Why the result, or the question, breaks a schema of the agent's author. */
  schemaError: RunError | null;
  /** What the attempts before this one used. */
  spent: Usage | null;
  /** Returns what a run is told that broke a limit. */
  describeLimit: (limit: string) => string;
  /** Returns why a run with such an error has no network; null for other errors. */
  networkHint: (texts: readonly (string | null)[]) => string | null;
  retry: AgentConfig["retry"];
  /** How many attempts of the run the agent itself failed before this one. */
  failed_attempts: number;
  /** Between 0 and 1, for the spread of delays. */
  random: number;
  /** Whether the run may become `interrupted` or `scheduled`, or go back for lack of packages. False after the store refused that. */
  mayPutAside: boolean;
};

export function decideEnding(result: AttemptResult, circumstances: EndingContext): Ending {
  const { aborted, schemaError, retry, failed_attempts: failed, random, mayPutAside } = circumstances;
  const usage = measuredUsage(result, circumstances.spent);
  const aside = mayPutAside ? putAside(result, aborted, schemaError) : null;
  if (aside) return { ...aside, state_snapshot: result.state_snapshot, usage };
  const decided = decideOutcome(result, circumstances);
  if (decided === "leave") return { kind: decided, usage };
  if (decided === "drained" || decided === "no_packages") return { kind: "give_back", reason: decided };
  if (decided === "restart") return { kind: decided };
  const outcome: Outcome = { ...decided, state_snapshot: result.state_snapshot, usage };
  const { error } = outcome;
  const delay_ms = mayPutAside ? retryDelayMs(retry, { error, failed, random }) : null;
  if (delay_ms !== null && error !== null) return { kind: "retry", delay_ms, error, usage };
  return { kind: "finish", outcome, output: joinOutputs(result.outputs), said: saidBesides(result) };
}

type PausedEnding =
  | { kind: "suspend"; suspension: Suspension }
  | { kind: "interrupt"; question: Question }
  | ContinueEnding;

/** Returns why an agent has come to no end: it waits for what the service knows of, or for a person, or goes on as a fresh run. */
function putAside(
  result: AttemptResult,
  aborted: AbortReason | null,
  schemaError: RunError | null,
): PausedEnding | null {
  const { suspension, interrupt } = result;
  if (result.result || result.error) return null;
  if (suspension !== null && aborted !== "fenced" && aborted !== "cancelled") return { kind: "suspend", suspension };
  if (schemaError) return null;
  const mayAsk = !aborted || aborted === "awaiting_approval";
  return (
    continuing(result, aborted) ?? (interrupt !== null && mayAsk ? { kind: "interrupt", question: interrupt } : null)
  );
}

const continuing = ({ continues_with, continued }: AttemptResult, aborted: AbortReason | null): ContinueEnding | null =>
  continues_with !== null && !aborted ? { kind: "continue", input_payload: continues_with, continued } : null;

/** Limits after which a result does not count: output before it was dropped. */
const limitAborts = new Set([
  "output_limit",
  "event_limit",
  "event_too_large",
  "artifact_limit",
  "budget_exceeded",
  "journal_full",
]);

type EndingOutcome = Pick<Outcome, "status" | "result_content" | "error">;

/**
 * A complete result counts, even when the agent was stopped right after it, unless the agent broke a limit before it.
 * Otherwise the reason of the stop decides, then the agent's own error, then the way its process ended.
 */
function decideOutcome(result: AttemptResult, circumstances: EndingContext): EndingOutcome | "leave" | BackToQueue {
  const { aborted, schemaError, describeLimit, mayPutAside } = circumstances;
  if (aborted === "fenced") return "leave";
  const failed = (error: RunError): EndingOutcome => ({ status: "error", result_content: null, error });
  if (result.result && !limitAborts.has(aborted ?? "")) {
    const result_content = resultContent(result.result.result_content, result.outputs);
    if (Buffer.byteLength(JSON.stringify(result_content)) > runLimits.result_bytes) return failed(resultTooLarge());
    return schemaError ? failed(schemaError) : { status: "success", result_content, error: null };
  }
  const back = backToQueue(result, aborted, mayPutAside);
  if (back !== null) return back;
  if (isCancelled(aborted, result)) return { status: "cancelled", result_content: null, error: null };
  if (aborted === "deadline") {
    const error = ourError("timeout", describeLimit("deadline"));
    return { status: "timeout", result_content: null, error };
  }
  return failed(errorOf(result, circumstances));
}

type BackToQueue = "drained" | "no_packages" | "restart";

/** Returns why a run without a result goes back to the queue; null when it doesn't. */
function backToQueue(
  { isOfWorker }: AttemptResult,
  aborted: AbortReason | null,
  mayPutAside: boolean,
): BackToQueue | null {
  if (aborted === "draining") return "drained";
  if (!mayPutAside) return null;
  if (aborted === "step_timeout") return "restart";
  return isOfWorker && aborted === null ? "no_packages" : null;
}

/** Only a cancel keeps the store from putting a run back whose step ran over its time, and from suspending one. */
const isCancelled = (aborted: AbortReason | null, { suspension, error }: AttemptResult): boolean =>
  ["cancelled", "step_timeout", "suspended", "awaiting_approval"].includes(aborted ?? "") ||
  (suspension !== null && error === null);

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

/**
 * What the agent reported, or what was metered of its calls, with what was measured of its process, added to what the earlier
 * attempts used. Calls of an attempt that was lost are in `metered`, and not in `spent`.
 */
function measuredUsage(
  { usage: reported, tool_calls, metered, exit }: AttemptResult,
  spent: Usage | null,
): Usage | null {
  const counted = metered && lessTokens(metered, spent?.metered ?? {});
  const usage = counted ? { ...counted, metered: counted, ...(reported && { reported }) } : reported;
  const cpu = exit?.cpu_ms == null ? {} : { cpu_ms: exit.cpu_ms };
  const memory = exit?.max_rss_bytes == null ? {} : { max_rss_bytes: exit.max_rss_bytes };
  const measured = { ...usage, ...cpu, ...memory, ...(tool_calls > 0 && { tool_calls }) };
  return addUsage(spent, Object.keys(measured).length > 0 ? measured : null);
}

function lessTokens(all: TokenUsage, before: TokenUsage): TokenUsage {
  const rest = (name: keyof TokenUsage): number => Math.max((all[name] ?? 0) - (before[name] ?? 0), 0);
  return {
    input_tokens: rest("input_tokens"),
    output_tokens: rest("output_tokens"),
    cost_usd: Math.round(rest("cost_usd") * 1_000_000) / 1_000_000,
  };
}

function errorOf({ error, exit }: AttemptResult, circumstances: EndingContext): RunError {
  const { aborted, schemaError, describeLimit, networkHint } = circumstances;
  if (aborted) return ourError(aborted, describeLimit(aborted));
  if (exit?.limit) return ourError(`${exit.limit}_limit`, describeLimit(exit.limit));
  if (exit?.breach !== undefined) return endedWithoutResult(exit);
  if (!error) return schemaError ?? endedWithoutResult(exit);
  const hint = networkHint([error.message, error.traceback]);
  return nameLimit(hint === null ? error : { ...error, message: `${error.message}\n${hint}` });
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
