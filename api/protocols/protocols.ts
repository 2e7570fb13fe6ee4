import type { ApiContext } from "../context.ts";
import type { Protocol } from "../http/protocol.ts";
import { operations } from "../operations.ts";
import { a2a } from "./a2a/a2a.ts";
import { agUi } from "./ag-ui/ag-ui.ts";
import { aiSdk } from "./ai-sdk/ai-sdk.ts";
import { langgraph } from "./langgraph/langgraph.ts";
import { mcp } from "./mcp/mcp.ts";
import { openai } from "./openai/openai.ts";

/**
 * The protocols whose clients connect unmodified. Each is a mapping onto runs, their streams and threads. MCP offers operations
 * of the service, too.
 */
export const protocols: readonly Protocol<ApiContext>[] = [openai, langgraph, aiSdk, agUi, a2a, mcp(operations)];
