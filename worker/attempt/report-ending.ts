import type { RunError, Usage } from "../../shared/schemas/run-event.ts";
import type { WorkerContext } from "../context.ts";
import type { Attempt } from "./attempt.ts";
import type { Ending } from "./decide-ending.ts";

/** `usage`: what the agent said of this attempt. */
type AttemptReport = { attempt: Attempt; duration_ms: number; usage: Usage | null };

/** Counts an attempt that is over, ends its spans, and logs one line of it. */
export function reportEnding(
  { log, metrics, spans }: Pick<WorkerContext, "log" | "metrics" | "spans">,
  { attempt, duration_ms, usage }: AttemptReport,
  ending: Ending,
): void {
  const { id, agent_id, version, thread_id, adapter_type: adapter, traceparent } = attempt;
  const { how, error } = outcomeOf(ending);
  const ms = duration_ms - (attempt.spent_ms ?? 0);
  spans?.end(attempt, { how, error_code: error?.code ?? null, usage });
  metrics.attemptEnded({ adapter, ending: how, seconds: ms / 1_000 });
  log.info(
    {
      run_id: id,
      attempt: attempt.attempt,
      agent_id,
      version,
      ...(thread_id !== null && { thread_id }),
      // https://www.w3.org/TR/trace-context/#traceparent-header
      ...(traceparent !== null && { trace_id: traceparent.split("-")[1] }),
      adapter,
      ending: how,
      ...(error && { error_code: error.code }),
      ms,
    },
    "an attempt ended",
  );
}

function outcomeOf(ending: Ending): { how: string; error: RunError | null } {
  if (ending.kind === "finish") return { how: ending.outcome.status, error: ending.outcome.error };
  return { how: ending.kind, error: ending.kind === "retry" ? ending.error : null };
}
