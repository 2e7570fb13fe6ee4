import type { AgentConfig } from "../../schemas/agent-config.ts";
import type { RunError } from "../../schemas/run-event.ts";

/** What an agent does by itself and may do better. A limit, or an entrypoint that isn't there, is met each time. */
const mayPass = new Set(["agent_error", "process_exited", "output_schema"]);

type Failure = {
  error: RunError | null;
  /** How often it has failed before. */
  failed: number;
  /** In [0, 1): places the delay within ±20 %. */
  random: number;
};

/** Milliseconds until a run whose agent has failed is tried again, by its config's `retry`; null: that was its last try. */
export function retryDelayMs(retry: AgentConfig["retry"], { error, failed, random }: Failure): number | null {
  if (!retry || !error || !mayPass.has(error.code) || failed + 1 >= retry.max_attempts) return null;
  const { delay_ms = 1_000, factor = 2, max_delay_ms = Math.max(60_000, delay_ms) } = retry;
  return Math.round(Math.min(delay_ms * factor ** failed, max_delay_ms) * (0.8 + 0.4 * random));
}
