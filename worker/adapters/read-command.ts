import type { AgentFrame, Frame } from "../channel/frame-schema.ts";
import type { AgentProcess } from "../sandbox/process.ts";
import type { AgentRequest } from "./adapter.ts";
import { readProcess } from "./read-process.ts";

/** How many characters of stderr the error of a failed command repeats. */
const tailLength = 4_096;

/** Returns what a program gets on stdin. */
export function toStdin(request: AgentRequest): Record<string, unknown> {
  const { run_id, attempt, thread_id, agent_id, version, user_id, input_payload, history, answers, metadata } = request;
  const { state_snapshot } = request;
  return {
    run_id,
    attempt,
    thread_id,
    agent_id,
    version,
    user_id,
    input_payload,
    history,
    answers,
    state_snapshot,
    metadata,
  };
}

/** Reads the frames of a program that does not use the event channel. */
export async function* readCommand(
  child: AgentProcess,
  request: AgentRequest,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const ndjson = request.output === "ndjson";
  // What the program writes to fd 3 is ignored.
  const channels = { ...child, events: ndjson ? child.stdout : nothing(), stdout: ndjson ? nothing() : child.stdout };
  let stderrTail = "";
  let hasOutcome = false;
  for await (const frame of readProcess(channels, {
    opening: [{ type: "started", warm: false }],
    signal,
    stop_grace_ms: request.stop_grace_ms,
    isByHand: ndjson,
  })) {
    if (frame.type === "log" && frame.stream === "stderr") stderrTail = (stderrTail + frame.message).slice(-tailLength);
    hasOutcome ||= frame.type === "result" || frame.type === "error" || frame.type === "interrupt";
    if (frame.type === "exit" && !hasOutcome && frame.limit === null) yield* outcomeOf(frame.code, stderrTail);
    yield frame;
  }
}

function* outcomeOf(code: number | null, stderr: string): Generator<AgentFrame> {
  if (code === 0) yield { type: "result", result_content: null };
  if (code === 0 || code === null) return;
  const message = stderr.trim() || `The command exited with ${code}.`;
  yield { type: "error", code: "agent_error", error_type: `Exit${code}`, message, traceback: null };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Yields the frames of a run that can't be started because of its config. */
export function* refuse(code: "no_entrypoint" | "bad_entrypoint", message: string): Generator<Frame> {
  yield { type: "started", warm: false };
  yield { type: "error", code, error_type: "InvalidConfig", message, traceback: null };
  yield { type: "exit", code: null, signal: null, limit: null, cpu_ms: null, max_rss_bytes: null };
}
