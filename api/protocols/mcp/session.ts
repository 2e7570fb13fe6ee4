import { newId } from "../../../shared/platform/ids.ts";

/**
 * A session of MCP. All of it is in its id, so that any API process can serve it and none has to remember it. It grants nothing:
 * each request brings its key.
 */
export type McpSession = {
  id: string;
  /** True when the client can ask its user (`elicitation` in its capabilities). */
  canAsk: boolean;
};

export function newSession(canAsk: boolean): McpSession {
  return { id: `${newId("mcp")}-${canAsk ? "asks" : "mute"}`, canAsk };
}

/** Returns null when the id is none that `newSession` made. */
export function readSession(id: string): McpSession | null {
  const match = /^mcp_[0-9a-f]{32}-(asks|mute)$/.exec(id);
  return match ? { id, canAsk: match[1] === "asks" } : null;
}
