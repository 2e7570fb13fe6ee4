import type { RunEvent, Usage } from "../../../shared/schemas/run-event.ts";
import type { EventOf } from "./projection.ts";

/** Returns why a run did not succeed. `type` is the class of the agent's exception, else the code. */
export function failureOf({ status, error }: Pick<EventOf<"run.error">, "status" | "error">) {
  const code = error?.code ?? status;
  return { code, type: error?.type ?? code, message: error?.message ?? `The run has ended: ${status}.` };
}

/** Returns whole numbers, which some clients require. Null: the agent has reported no tokens. */
export function tokensOf(usage: Usage | null): { input: number; output: number } | null {
  const { input_tokens, output_tokens } = usage ?? {};
  if (input_tokens === undefined && output_tokens === undefined) return null;
  return { input: Math.round(input_tokens ?? 0), output: Math.round(output_tokens ?? 0) };
}

/** Returns an event's own fields, without its run, id and time. */
export function eventFields(event: RunEvent): Record<string, unknown> {
  const { run_id: _run, attempt: _attempt, seq: _seq, ts: _ts, ...rest } = event;
  return rest;
}
