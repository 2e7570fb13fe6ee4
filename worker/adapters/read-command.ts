import type { AgentFrame, Frame } from "../channel/frame-schema.ts";
import type { AgentProcess } from "../sandbox/process.ts";
import type { AgentRequest } from "./adapter.ts";
import { readProcess } from "./read-process.ts";

/** How much of stderr the error of a failed command repeats. */
const tailLength = 4_096;

/** What a program is told of its run, on stdin. */
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

/** The frames of a program that knows of no event channel. */
export async function* readCommand(
  child: AgentProcess,
  request: AgentRequest,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const ndjson = request.output === "ndjson";
  // What it writes to fd 3 is nothing: it has only stdout to say something.
  const spoken = { ...child, events: ndjson ? child.stdout : nothing(), stdout: ndjson ? nothing() : child.stdout };
  let failed = "";
  let said = false;
  for await (const frame of readProcess(spoken, { opening: [{ type: "started", warm: false }], signal })) {
    if (frame.type === "log" && frame.stream === "stderr") failed = (failed + frame.message).slice(-tailLength);
    said ||= frame.type === "result" || frame.type === "error" || frame.type === "interrupt";
    if (frame.type === "exit" && !said && frame.limit === null) yield* concludes(frame.code, failed);
    yield frame;
  }
}

function* concludes(code: number | null, stderr: string): Generator<AgentFrame> {
  if (code === 0) yield { type: "result", result_content: null };
  if (code === 0 || code === null) return;
  const message = stderr.trim() || `The command exited with ${code}.`;
  yield { type: "error", code: "agent_error", error_type: `Exit${code}`, message, traceback: null };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The frames of a run that can't be started as its config stands. */
export function* refuse(code: "no_entrypoint" | "bad_entrypoint", message: string): Generator<Frame> {
  yield { type: "started", warm: false };
  yield { type: "error", code, error_type: "InvalidConfig", message, traceback: null };
  yield { type: "exit", code: null, signal: null, limit: null, cpu_ms: null, max_rss_bytes: null };
}
