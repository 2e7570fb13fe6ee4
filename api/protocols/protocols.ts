import type { ApiContext } from "../context.ts";
import type { Protocol } from "../http/protocol.ts";
import { agUi } from "./ag-ui/ag-ui.ts";
import { aiSdk } from "./ai-sdk/ai-sdk.ts";
import { openai } from "./openai/openai.ts";

/** The protocols whose clients connect unmodified. Each is a mapping onto runs, their streams and threads. */
export const protocols: readonly Protocol<ApiContext>[] = [openai, aiSdk, agUi];
