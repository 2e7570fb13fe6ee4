import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import type { Protocol } from "../http/protocol.ts";
import { a2a } from "./a2a/a2a.ts";
import { agUi } from "./ag-ui/ag-ui.ts";
import { aiSdk } from "./ai-sdk/ai-sdk.ts";
import { mcp } from "./mcp/mcp.ts";
import { openai } from "./openai/openai.ts";

/**
 * Returns the protocols whose clients connect unmodified. Each is a mapping onto runs, their streams and threads. MCP offers
 * operations of the service, too.
 */
export const protocolsOf = (operations: readonly Operation<ApiContext>[]): readonly Protocol<ApiContext>[] => [
  openai,
  aiSdk,
  agUi,
  a2a,
  mcp(operations),
];
