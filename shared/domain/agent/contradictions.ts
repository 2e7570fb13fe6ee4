import type { AgentConfig } from "../../schemas/agent-config.ts";
import { adapterOf } from "../run/run-modes.ts";

/** A key of a config that another key makes meaningless, or that another key needs. */
export type Contradiction = { path: string[]; message: string };

/** The key without which an adapter has nothing to run. */
const needed = { command: "command", http: "url", container: "image" } as const;

/** Returns the keys of a config that contradict each other. */
export function contradictions(config: AgentConfig): Contradiction[] {
  const { adapter_type, requirements = [] } = config;
  if (adapter_type === undefined) return uselessApprovals(config);
  const adapter = adapterOf(adapter_type);
  const found: Contradiction[] = [];
  if (adapter !== "python" && requirements.length > 0) {
    const cure = adapter === "node" ? ". Node's packages are named in package.json" : "";
    found.push({ path: ["requirements"], message: `are Python packages, and the adapter is '${adapter_type}'${cure}` });
  }
  const key = adapter === "command" || adapter === "http" || adapter === "container" ? needed[adapter] : null;
  if (key !== null && config[key] === undefined)
    found.push({ path: [key], message: `is missing: the adapter '${adapter_type}' has nothing to run without it` });
  return [...found, ...uselessConnections(config, adapter), ...uselessApprovals(config)];
}

/** Nobody is asked about calls that don't go by a connection. */
function uselessApprovals({ connections = [], approvals = [] }: AgentConfig): Contradiction[] {
  if (approvals.length === 0 || connections.length > 0) return [];
  return [{ path: ["approvals"], message: "have no effect without `connections`: they are about calls by these" }];
}

/** Only a sandbox has a listener of the gateway. */
function uselessConnections({ connections = [], adapter_type }: AgentConfig, adapter: string): Contradiction[] {
  if (connections.length === 0 || (adapter !== "http" && adapter !== "container")) return [];
  return [{ path: ["connections"], message: `have no effect: the adapter '${adapter_type}' runs in no sandbox` }];
}
