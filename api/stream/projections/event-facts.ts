import type { RunEvent, Usage } from "../../../shared/schemas/run-event.ts";
import type { EventOf } from "./projection.ts";

/** Why a run did not succeed. `type` is the agent's exception where there is one. */
export function failureOf({ status, error }: Pick<EventOf<"run.error">, "status" | "error">) {
  const code = error?.code ?? status;
  return { code, type: error?.type ?? code, message: error?.message ?? `The run has ended: ${status}.` };
}

/** Whole tokens, which some clients insist on. Null: the agent has reported none. */
export function tokensOf(usage: Usage | null): { input: number; output: number } | null {
  const { input_tokens, output_tokens } = usage ?? {};
  if (input_tokens === undefined && output_tokens === undefined) return null;
  return { input: Math.round(input_tokens ?? 0), output: Math.round(output_tokens ?? 0) };
}

/** What an event says, without its place in the stream. */
export function withoutPlace(event: RunEvent): Record<string, unknown> {
  const { run_id: _run, attempt: _attempt, seq: _seq, ts: _ts, ...rest } = event;
  return rest;
}
