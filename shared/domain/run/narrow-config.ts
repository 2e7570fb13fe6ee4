import type { AgentConfig } from "../../schemas/agent-config.ts";
import type { GivenOptions } from "../../schemas/request-options.ts";

/** Returns the smaller of what the agent's config and the request say; undefined when neither says anything. */
export function narrower(configured: number | undefined, asked: number | undefined): number | undefined {
  if (configured === undefined || asked === undefined) return configured ?? asked;
  return Math.min(configured, asked);
}

/** Returns the config as it counts for one run: no bound is wider than the run's request wants it. */
export function narrowConfig(config: AgentConfig, asked: GivenOptions | null): AgentConfig {
  if (!asked) return config;
  const { timeout_ms, queue_ttl_ms, max_attempts, max_cost_usd, max_tokens, key_concurrency } = asked;
  const { limits = {}, budget = {}, retry } = config;
  return {
    ...config,
    limits: {
      ...limits,
      timeout_ms: narrower(limits.timeout_ms, timeout_ms),
      queue_ttl_ms: narrower(limits.queue_ttl_ms, queue_ttl_ms),
    },
    budget: { ...budget, usd: narrower(budget.usd, max_cost_usd), tokens: narrower(budget.tokens, max_tokens) },
    max_attempts: narrower(config.max_attempts, max_attempts),
    retry: retry && { ...retry, max_attempts: narrower(retry.max_attempts, max_attempts) ?? retry.max_attempts },
    key_concurrency: narrower(config.key_concurrency, key_concurrency),
  };
}
