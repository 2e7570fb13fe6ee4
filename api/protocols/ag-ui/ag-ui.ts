import type { ApiContext } from "../../context.ts";
import type { Protocol } from "../../http/protocol.ts";
import { showAsText } from "../show-as-text.ts";
import { runAgent } from "./run-agent.ts";

/** The address of AG-UI's `HttpAgent` is the service's URL, this prefix and an agent. */
export const agUi: Protocol<ApiContext> = { prefix: "/ag-ui", operations: [runAgent], showError: showAsText };
