import type { OpenInterrupt } from "../../../shared/schemas/run-event.ts";

/** Returns a question to a person as a call of a tool that the client has. Its output is the answer. */
export const questionOf = (runId: string, { id, reason, message, response_schema, expires_at }: OpenInterrupt) => ({
  id: `${runId}${separator}${id}`,
  type: "function" as const,
  function: {
    name: reason.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "interrupt",
    arguments: JSON.stringify({ message, response_schema, expires_at }),
  },
});

/** Returns a question as text, for clients that only show the content. */
export const plainQuestion = ({ message, reason }: OpenInterrupt): string => message ?? reason;

/** A character that no id has. */
const separator = "~";

/** Returns the run and the question that a call's id names. Null: the call is none of ours. */
export function readCallId(callId: string): { run_id: string; interrupt_id: string } | null {
  const [run_id, interrupt_id, ...more] = callId.split(separator);
  return run_id && interrupt_id && more.length === 0 ? { run_id, interrupt_id } : null;
}
