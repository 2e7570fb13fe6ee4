import { type ErrorData, RpcError } from "../rpc-error.ts";

/** https://a2a-protocol.org/latest/specification/ "Error Code Mappings" */
export const a2aCodes = {
  task_not_found: -32001,
  task_not_cancelable: -32002,
  push_notification_not_supported: -32003,
  unsupported_operation: -32004,
  content_type_not_supported: -32005,
  extended_agent_card_not_configured: -32007,
  version_not_supported: -32009,
} as const;

export const taskNotFound = (id: string): RpcError =>
  new RpcError(a2aCodes.task_not_found, `Task not found: ${id}`, "TASK_NOT_FOUND");

export const unsupported = (message: string): RpcError =>
  new RpcError(a2aCodes.unsupported_operation, message, "UNSUPPORTED_OPERATION");

/** 1.0 names the reason of an error; 0.3 has the code only. */
export const errorInfo: ErrorData = (reason) =>
  reason === undefined
    ? {}
    : {
        data: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "a2a-protocol.org" }],
      };
export const noErrorInfo: ErrorData = () => ({});
