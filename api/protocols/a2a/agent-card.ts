import type { AgentRecord } from "../../../shared/schemas/agent.ts";
import type { A2aVersion } from "./version.ts";

type Card = { agent: AgentRecord; version: A2aVersion; base: string; needsKey: boolean };

const modes = ["text/plain", "application/json"];

/**
 * Returns the card of an agent. One card serves both versions, with the fields of both side by side; only the words for the key
 * differ.
 */
export function agentCard({ agent, version, base, needsKey }: Card): object {
  const { id, name, metadata, current_version } = agent;
  const url = `${base}/a2a/${encodeURIComponent(id)}/`;
  const description = typeof metadata["description"] === "string" ? metadata["description"] : name;
  const boundTo = (protocolVersion: string) => ({ url, protocolBinding: "JSONRPC", tenant: "", protocolVersion });
  return {
    name,
    description,
    version: current_version,
    url,
    preferredTransport: "JSONRPC",
    protocolVersion: "0.3.0",
    supportedInterfaces: [boundTo("1.0"), boundTo("0.3")],
    capabilities: { streaming: true, pushNotifications: false },
    ...(needsKey ? keyOf(version) : {}),
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [{ id, name, description, tags: [] }],
  };
}

const keyOf = (version: A2aVersion): object =>
  version === "1.0"
    ? {
        securitySchemes: { key: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
        securityRequirements: [{ schemes: { key: { list: [] } } }],
      }
    : { securitySchemes: { key: { type: "http", scheme: "bearer" } }, security: [{ key: [] }] };
