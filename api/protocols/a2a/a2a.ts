import type { ApiContext } from "../../context.ts";
import type { Protocol } from "../../http/protocol.ts";
import { errorBody, rpcErrorOf } from "../rpc-error.ts";
import { noErrorInfo } from "./errors.ts";
import { a2aOperations } from "./operations.ts";

/** Agent2Agent (a2a-protocol.org): each agent is one of its agents, a thread is a context, a run is a task. */
export const a2a: Protocol<ApiContext> = {
  prefix: "/a2a",
  operations: a2aOperations,
  showError: (refusal) => ({
    // Bytes that are no JSON are an error of JSON-RPC, which A2A answers with 200.
    status: refusal.faults.length > 0 ? 200 : refusal.status,
    body: errorBody(null, rpcErrorOf(refusal), noErrorInfo),
  }),
};
