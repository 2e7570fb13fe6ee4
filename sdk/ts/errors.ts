import type { OpenInterrupt, RunError, RunStatus } from "./run-types.ts";

/** Everything that this package throws of its own. */
export class RunfleetError extends Error {
  override name = "RunfleetError";
}

/** No answer came: nothing listens at the address, or the connection was lost. `cause` says which. */
export class UnreachableError extends RunfleetError {
  override name = "UnreachableError";
  /** The request's method. What another one than GET asked for may have been done, where the connection was lost. */
  readonly method: string;
  constructor(message: string, method: string, cause: unknown) {
    super(message, { cause });
    this.method = method;
  }
}

export type ApiErrorFields = {
  /** The HTTP status. */
  status: number;
  /** The service's name for the error, which stays the same: `run_not_found`. Of a 422: `invalid`. */
  code: string;
  requestId: string | undefined;
  /** What the service asks to wait. */
  retryAfterMs: number | undefined;
};

/** The service answered with an error. */
export class ApiError extends RunfleetError {
  override name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  constructor(message: string, { status, code, requestId, retryAfterMs }: ApiErrorFields) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** 401: the key is missing, wrong or expired. */
export class UnauthorizedError extends ApiError {
  override name = "UnauthorizedError";
}
/** 402: the quota or the wallet is spent. */
export class QuotaError extends ApiError {
  override name = "QuotaError";
}
/** 403: the key has no right to do this. */
export class ForbiddenError extends ApiError {
  override name = "ForbiddenError";
}
/** 404: there is no such thing, or it belongs to somebody else. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}
/** 409: the state of the thing doesn't allow it. */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}
/** 429: too many requests or runs. */
export class RateLimitError extends ApiError {
  override name = "RateLimitError";
}

/** A fault of a request. `place`: where it is in the request, as in `input_payload.items.0`. */
export type Issue = { place: string; message: string; type: string };

/** 422: something in the request is wrong. */
export class InvalidError extends ApiError {
  override name = "InvalidError";
  readonly issues: Issue[];
  constructor(issues: Issue[], fields: ApiErrorFields) {
    super(issues.map(({ place, message }) => `${place}: ${message}`).join("\n"), fields);
    this.issues = issues;
  }
}

/** A run ended otherwise than by success. */
export class RunEndedError extends RunfleetError {
  override name = "RunEndedError";
  readonly runId: string;
  readonly status: RunStatus;
  /** The service's name for the error: `agent_error`. */
  readonly code: string;
  readonly error: RunError | null;
  constructor(runId: string, status: RunStatus, error: RunError | null) {
    super(`The run ${runId} ended as ${status}${error ? `: ${error.message}` : "."}`);
    this.runId = runId;
    this.status = status;
    this.code = error?.code ?? status;
    this.error = error;
  }
}
export class RunFailedError extends RunEndedError {
  override name = "RunFailedError";
}
export class RunTimeoutError extends RunEndedError {
  override name = "RunTimeoutError";
}
export class RunCancelledError extends RunEndedError {
  override name = "RunCancelledError";
}
export class RunExpiredError extends RunEndedError {
  override name = "RunExpiredError";
}

/** The run asks a person. Answer it by `run.resume(answer)`. */
export class RunInterruptedError extends RunfleetError {
  override name = "RunInterruptedError";
  readonly runId: string;
  readonly interrupts: OpenInterrupt[];
  constructor(runId: string, interrupts: OpenInterrupt[]) {
    super(
      `The run ${runId} waits for an answer: ${interrupts.map(({ message, reason }) => message ?? reason).join("; ")}`,
    );
    this.runId = runId;
    this.interrupts = interrupts;
  }
}

/** A stream was cut and could not be resumed. `lastEventId`: it goes on after this event. */
export class StreamLostError extends RunfleetError {
  override name = "StreamLostError";
  readonly lastEventId: string | undefined;
  constructor(message: string, lastEventId: string | undefined, cause?: unknown) {
    super(message, { cause });
    this.lastEventId = lastEventId;
  }
}

/** A webhook's signature is wrong, or its time is too far from now. */
export class WebhookError extends RunfleetError {
  override name = "WebhookError";
}
