export { type ClientOptions, Runfleet } from "./client.ts";
export {
  ApiError,
  ConflictError,
  UnreachableError,
  ForbiddenError,
  InvalidError,
  type Issue,
  NotFoundError,
  QuotaError,
  RateLimitError,
  RunCancelledError,
  RunEndedError,
  RunExpiredError,
  RunFailedError,
  RunfleetError,
  RunInterruptedError,
  RunTimeoutError,
  StreamLostError,
  UnauthorizedError,
  WebhookError,
} from "./errors.ts";
export type { FileContent } from "./files.ts";
export type * from "./generated/types.ts";
export type { Resources } from "./generated/operations.ts";
export { type Page, Pages } from "./pages.ts";
export type { Binary, CallOptions } from "./request.ts";
export { RunHandle, type RunOptions, type TextOptions } from "./run-handle.ts";
export { type EndEvent, type EventOf, isEnd, type OpenInterrupt, type RunError, type RunStatus } from "./run-types.ts";
export { ThreadHandle } from "./thread-handle.ts";
export { Transcript } from "./transcript.ts";
export { verifyWebhook } from "./webhooks.ts";
