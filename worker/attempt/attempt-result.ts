import type { RunError, TokenUsage, Usage } from "../../shared/schemas/run-event.ts";
import type { Suspension } from "../channel/suspension.ts";
import type { AgentFrame, ExitFrame } from "../channel/frame-schema.ts";

export type ResultFrame = Extract<AgentFrame, { type: "result" }>;
export type InterruptFrame = Extract<AgentFrame, { type: "interrupt" }>;

/** `call_key`: of the call that waits for the answer; left out: the agent itself asks. */
export type Question = Omit<InterruptFrame, "type"> & { call_key?: string };

/** What an attempt left behind when its agent's process was over. */
export type AttemptResult = {
  result: ResultFrame | null;
  /** The agent's own error, or why the agent could not be started. */
  error: RunError | null;
  /** True when the error is this worker's, and passes: another worker may run the agent, or this one later. */
  isOfWorker: boolean;
  /** The question that the agent asked a person, or that one of its calls waits for. Such an agent has no result. */
  interrupt: Question | null;
  /** What the agent waits for, when its process was ended for that. */
  suspension: Suspension | null;
  /** The input with which the run goes on as a fresh one. Such an agent has no result. */
  continues_with: Record<string, unknown> | null;
  /** How often the run has gone on so before. */
  continued: number;
  /** True when it has opened waits, or found some. */
  waits: boolean;
  exit: ExitFrame | null;
  /** What the agent yielded or printed, in order. */
  outputs: unknown[];
  state_snapshot: string | null;
  /** As the agent reported it. */
  usage: Usage | null;
  /** How many tools it has called. */
  tool_calls: number;
  /** What services have counted of the calls of all attempts; null: nothing. */
  metered: TokenUsage | null;
  /** The key of the journal's entry with the answer to its last recorded call; null: there is none. */
  last_call: string | null;
};

export const emptyResult = (): AttemptResult => ({
  result: null,
  error: null,
  isOfWorker: false,
  interrupt: null,
  suspension: null,
  continues_with: null,
  continued: 0,
  waits: false,
  exit: null,
  outputs: [],
  state_snapshot: null,
  usage: null,
  tool_calls: 0,
  metered: null,
  last_call: null,
});

/**
 * Adds what a frame says about the attempt's end. The first result or error counts, the newest state counts, usage is
 * merged, and tools are counted.
 */
export function collectFrame(into: AttemptResult, frame: AgentFrame): void {
  if (frame.type === "result" && !into.error) into.result ??= frame;
  if (frame.type === "error" && !into.result) into.error ??= agentError(frame);
  if (frame.type === "interrupt") into.interrupt ??= frame;
  if (frame.type === "state") into.state_snapshot = frame.state_snapshot;
  if (frame.type === "tool.start") into.tool_calls += 1;
  if (frame.type === "usage") {
    const { type: _, ...usage } = frame;
    into.usage = { ...into.usage, ...usage };
  }
}

function agentError({ code, error_type, message, traceback }: Extract<AgentFrame, { type: "error" }>): RunError {
  return { code, type: error_type, message, traceback };
}
