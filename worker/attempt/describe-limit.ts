import { runLimits } from "../../shared/domain/run/run-limits.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import { egressOf, resourcesOf } from "../prepare/agent-request.ts";
import type { Attempt } from "./attempt.ts";

const MiB = 1024 * 1024;

type LimitedAttempt = Pick<Attempt, "timeout_ms" | "runtime_mode"> & { config: AgentConfig };

/** Returns what a run that broke a limit is told: the limit, its value, and the key that raises it. */
export function describeLimit(limit: string, attempt: LimitedAttempt): string {
  const { limits = {}, budget } = attempt.config;
  const { memory_bytes, cpu_ms, processes, disk_bytes } = resourcesOf(attempt.config, attempt);
  const raise = (key: string, most: number | string): string =>
    ` \`limits.${key}\` of the agent's config raises it, up to ${most}.`;
  const lower = (key: keyof typeof limits): string =>
    limits[key] === undefined
      ? " It is the largest there is."
      : ` \`limits.${String(key)}\` of the agent's config set it.`;
  const messages: Record<string, () => string> = {
    memory: () =>
      `The run used more memory than it may, ${Math.round(memory_bytes / MiB)} MiB.${raise("memory_mb", runLimits.full_memory_bytes / MiB)}`,
    cpu: () =>
      `The run used more processor time than it may, ${cpu_ms} ms.${raise("cpu_ms", runLimits.max_timeout_ms * runLimits.max_processors)}`,
    processes: () =>
      `The run started more processes and threads than it may, ${processes}.${raise("pids", runLimits.max_processes)}`,
    disk: () =>
      `The run wrote more to disk than it may, ${disk_bytes} bytes.${raise("files_bytes", runLimits.max_disk_bytes)}`,
    output_limit: () =>
      `The run's output exceeds its limit, ${limits.output_bytes ?? runLimits.output_bytes} bytes.${lower("output_bytes")}`,
    event_limit: () => `The run sent more events than it may, ${limits.events ?? runLimits.events}.${lower("events")}`,
    event_too_large: () =>
      `One event of the run is larger than an event may be, ${runLimits.event_bytes} bytes. Send it in parts, or as an artifact.`,
    artifact_limit: () =>
      `The run stored more bytes of files than it may: ${runLimits.artifact_bytes} each, ${runLimits.artifacts_bytes} in all.`,
    budget_exceeded: () =>
      `The run used more than its agent's budget or its request (max_cost_usd, max_tokens) allows: ${shownBudget(budget)}.`,
    journal_full: () => "The run's journal has more entries or bytes than it may.",
    deadline: () =>
      `The run's agent did not end within ${attempt.timeout_ms} ms.${raise("timeout_ms", runLimits.max_timeout_ms)}`,
  };
  return messages[limit]?.() ?? "The run exceeded a limit.";
}

function shownBudget({ usd, tokens }: NonNullable<AgentConfig["budget"]> = {}): string {
  const parts = [
    ...(usd === undefined ? [] : [`${usd} US dollars`]),
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
  ];
  return parts.join(", ") || "nothing";
}

/** What errors of a machine without network say, in Python, Node and C libraries. */
const noNetwork =
  /\bgaierror\b|Temporary failure in name resolution|Name or service not known|Network is unreachable|\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH)\b|suitable TLS CA certificate bundle|Could not resolve host/;

/** Returns why a run whose error is that of a missing network has none; null for other errors, and where the run has one. */
export function networkHint(
  texts: readonly (string | null)[],
  { config, runtime_mode }: LimitedAttempt,
): string | null {
  if (!texts.some((text) => text !== null && noNetwork.test(text))) return null;
  const hosts = egressOf(config);
  if (runtime_mode === "full" && hosts !== null) return null;
  const mode = runtime_mode === "full" ? "" : `Its runtime_mode is '${runtime_mode}'. `;
  const needs = [
    ...(runtime_mode === "full" ? [] : ['"runtime_mode": "full"']),
    ...(hosts === null ? ['"network": {"allow": ["api.example.com"]}'] : []),
  ];
  return `This run has no network. ${mode}The agent's config needs ${needs.join(" and ")}.`;
}
