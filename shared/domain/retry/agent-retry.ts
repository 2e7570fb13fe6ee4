import type { AgentConfig } from "../../schemas/agent-config.ts";
import type { RunError } from "../../schemas/run-event.ts";

/** Error codes that are worth a retry. An exceeded limit or a missing entrypoint would fail again. */
const mayPass = new Set(["agent_error", "process_exited", "output_schema"]);

type Failure = {
  error: RunError | null;
  /** The number of earlier failures. */
  failed: number;
  /** In [0, 1): varies the delay within ±20 %. */
  random: number;
};

/** Returns the milliseconds until the next attempt of a run whose agent has failed, by the config's `retry`. Null: no attempt is left. */
export function retryDelayMs(retry: AgentConfig["retry"], { error, failed, random }: Failure): number | null {
  if (!retry || !error || !mayPass.has(error.code) || failed + 1 >= retry.max_attempts) return null;
  const { delay_ms = 1_000, factor = 2, max_delay_ms = Math.max(60_000, delay_ms) } = retry;
  return Math.round(Math.min(delay_ms * factor ** failed, max_delay_ms) * (0.8 + 0.4 * random));
}
