export type ErrorCode =
  | "bad_request"
  | "unauthorized"
  | "quota_exceeded"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "payload_too_large"
  | "too_many_requests"
  | "unavailable";

/** A fault that the caller is told: `kind` decides the HTTP status, `code` is the machine-readable reason on the wire. */
export class AppError extends Error {
  readonly kind: ErrorCode;
  readonly code: string;
  /** Seconds to wait, for `too_many_requests` and `unavailable`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorCode, code: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = "AppError";
    this.kind = kind;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const notFound = (what: string, id: string): AppError =>
  new AppError("not_found", `${what}_not_found`, `No ${what} with the id '${id}'.`);
export const conflict = (code: string, message: string): AppError => new AppError("conflict", code, message);
export const unavailable = (code: string, message: string, retryAfterSeconds = 1): AppError =>
  new AppError("unavailable", code, message, retryAfterSeconds);
