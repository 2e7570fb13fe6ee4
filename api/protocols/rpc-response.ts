import { AppError } from "../../shared/domain/errors/app-error.ts";
import { errorKinds } from "../../shared/domain/errors/error-codes.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { AnyResult } from "../http/define-operation.ts";
import { errorBody, type ErrorData, rpcCodes, RpcError } from "./rpc-error.ts";
import type { RpcId } from "./rpc-id.ts";

export type TextResult = Extract<AnyResult, { text: string | Buffer }>;

export const resultOf = (id: RpcId, result: unknown) => ({ jsonrpc: "2.0", id, result }) as const;

export const jsonAnswer = (status: number, body: unknown, headers: Record<string, string> = {}): TextResult => ({
  status,
  content_type: "application/json; charset=utf-8",
  text: JSON.stringify(body),
  headers,
});

/** An answer whose status depends on what was asked. */
export type Answer = TextResult | Extract<AnyResult, { respond: unknown }>;

export const emptyAnswer = (status: number): TextResult => ({ status, content_type: "application/json", text: "" });

/** Returns the answer to a request that the service or the protocol refuses. Any other error is thrown again. */
export function failureAnswer(id: RpcId | null, error: unknown, data: ErrorData): TextResult {
  if (error instanceof RpcError) return jsonAnswer(200, errorBody(id, error, data));
  if (error instanceof ValidationFault)
    return jsonAnswer(200, errorBody(id, new RpcError(rpcCodes.invalid_params, error.message, "INVALID_PARAMS"), data));
  if (!(error instanceof AppError)) throw error;
  const { kind, code, message, retryAfterSeconds } = error;
  const isLater = kind === "unavailable" || kind === "too_many_requests";
  const retryAfter = isLater ? { "Retry-After": String(Math.max(1, Math.ceil(retryAfterSeconds ?? 1))) } : {};
  const refusal = new RpcError(rpcCodes.refused, message, code.toUpperCase());
  return jsonAnswer(errorKinds[kind].status, errorBody(id, refusal, data), retryAfter);
}
