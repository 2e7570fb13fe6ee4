import type { CodeOf, ErrorCode, ErrorKind } from "./error-codes.ts";

type Reason = { [K in ErrorKind]: [kind: K, code: CodeOf<K>] }[ErrorKind];

/** An error that the caller gets. `kind` decides the HTTP status, `code` is the machine-readable reason. */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  /** Seconds to wait, for `too_many_requests` and `unavailable`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(...[kind, code, message, retryAfterSeconds]: [...Reason, message: string, retryAfterSeconds?: number]) {
    super(message);
    this.name = "AppError";
    this.kind = kind;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

type ThingOf<Code> = Code extends `${infer Thing}_not_found` ? Thing : never;

export const notFound = (what: ThingOf<ErrorCode>, id: string): AppError =>
  new AppError("not_found", `${what}_not_found`, `No ${what.replaceAll("_", " ")} with the id '${id}'.`);
export const conflict = (code: CodeOf<"conflict">, message: string): AppError =>
  new AppError("conflict", code, message);
export const unavailable = (code: CodeOf<"unavailable">, message: string, retryAfterSeconds = 1): AppError =>
  new AppError("unavailable", code, message, retryAfterSeconds);
