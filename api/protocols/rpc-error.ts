import type { Refusal } from "../http/protocol.ts";
import type { RpcId } from "./rpc-id.ts";

export const rpcCodes = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal_error: -32603,
  /** A refusal of the service: a wrong key, a full queue. The HTTP status says of what kind. */
  refused: -32000,
} as const;

/** An error of the protocol, which the client gets as the answer to its request. */
export class RpcError extends Error {
  readonly code: number;
  /** The reason in capitals, where the protocol has one. */
  readonly reason: string | undefined;

  constructor(code: number, message: string, reason?: string) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.reason = reason;
  }
}

/** How a protocol words the `data` of an error, from the reason in capitals. */
export type ErrorData = (reason: string | undefined) => object;

/** Returns the body of an error answer. */
export function errorBody(id: RpcId | null, { code, message, reason }: RpcError, data: ErrorData): object {
  return { jsonrpc: "2.0", id, error: { code, message, ...data(reason) } };
}

/** Returns a refusal before the request was read as an error of JSON-RPC. */
export function rpcErrorOf({ code, message, faults, status }: Refusal): RpcError {
  if (faults[0]?.type === "json_invalid") return new RpcError(rpcCodes.parse_error, `Invalid JSON payload: ${message}`);
  if (faults.length > 0) return new RpcError(rpcCodes.invalid_params, message, "INVALID_PARAMS");
  return new RpcError(status === 500 ? rpcCodes.internal_error : rpcCodes.refused, message, code.toUpperCase());
}
