import type { RunError, Usage } from "../../shared/schemas/run-event.ts";
import type { AgentFrame, ExitFrame } from "../channel/frame-schema.ts";
import type { AbortReason } from "../lease/abort-reason.ts";

/** What a run's process left behind. */
export type Remains = {
  result: Extract<AgentFrame, { type: "result" }> | null;
  /** The agent's own error, or why it could not be started. */
  error: RunError | null;
  /** What the agent asks a person; it then has no result. */
  interrupt: Extract<AgentFrame, { type: "interrupt" }> | null;
  exit: ExitFrame | null;
  aborted: AbortReason | null;
  outputs: unknown[];
  state_snapshot: string | null;
  usage: Usage | null;
  /** What the attempts before this one used. */
  spent: Usage | null;
  timeout_ms: number;
};

export function nothingYet({ spent, timeout_ms }: Pick<Remains, "spent" | "timeout_ms">): Remains {
  return {
    result: null,
    error: null,
    interrupt: null,
    exit: null,
    aborted: null,
    outputs: [],
    state_snapshot: null,
    usage: null,
    spent,
    timeout_ms,
  };
}

/** What outlives the stream: the result, the error, the last state, the usage so far. The first result or error stands. */
export function keepFrame(remains: Remains, frame: AgentFrame): void {
  if (frame.type === "result" && !remains.error) remains.result ??= frame;
  if (frame.type === "error" && !remains.result) remains.error ??= agentError(frame);
  if (frame.type === "interrupt") remains.interrupt ??= frame;
  if (frame.type === "state") remains.state_snapshot = frame.state_snapshot;
  if (frame.type === "usage") {
    const { type: _, ...usage } = frame;
    remains.usage = { ...remains.usage, ...usage };
  }
}

function agentError({
  code,
  error_type,
  message,
  traceback,
}: Extract<AgentFrame, { type: "error" }>): Remains["error"] {
  return { code, type: error_type, message, traceback };
}
