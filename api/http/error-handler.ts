import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import { errorKinds } from "../../shared/domain/errors/error-codes.ts";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { Log } from "../../shared/platform/log.ts";
import { isDependencyFault, isLostReference } from "./is-dependency-fault.ts";
import { queryOf, requestId } from "./request-context.ts";

/** The last route: no other route matched the request. */
export const notFoundHandler: RequestHandler = () => {
  throw new AppError("not_found", "not_found", "Not Found");
};

/** The only place that turns errors into HTTP answers. An unknown error is a plain 500; the log has its class and stack. */
export function errorHandler(log: Log): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    if (res.headersSent) {
      logFault(log, error, res);
      res.destroy();
      return;
    }
    if (error instanceof ValidationFault) {
      res.status(422).json(
        inFormat(req, {
          status: 422,
          code: "validation_error",
          message: describeFaults(error),
          body: { detail: error.detail },
        }),
      );
      return;
    }
    const known = toAppError(error);
    if (!known || known.kind === "unavailable") logFault(log, error, res);
    sendError(req, res, known ?? new AppError("internal", "internal_error", "Internal Server Error"));
  };
}

function sendError(req: Request, res: Response, error: AppError): void {
  const { kind, code, message: detail } = error;
  if (kind === "unauthorized") res.set("WWW-Authenticate", "Bearer");
  if (kind === "unavailable" || kind === "too_many_requests")
    res.set("Retry-After", String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1))));
  const { status } = errorKinds[kind];
  const body = { detail, code, request_id: requestId(res) };
  res.status(status).json(inFormat(req, { status, code, message: detail, body }));
}

type Shown = { status: number; code: string; message: string; body: object };

/** Returns an error's body. With `?format=openai` it also has the `error` that OpenAI's clients read. */
function inFormat(req: Request, { status, code, message, body }: Shown): object {
  if (queryOf(req)["format"] !== "openai") return body;
  const type = openaiTypes[status] ?? (status < 500 ? "invalid_request_error" : "server_error");
  return { ...body, error: { message, type, code, param: null } };
}

/** https://platform.openai.com/docs/guides/error-codes */
const openaiTypes: Record<number, string> = {
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  429: "rate_limit_error",
};

const describeFaults = ({ detail }: ValidationFault): string =>
  detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");

function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (isDependencyFault(error))
    return new AppError(
      "unavailable",
      "dependency_unavailable",
      "The database or Redis is not reachable. Try again later.",
      1,
    );
  if (isLostReference(error))
    return new AppError(
      "conflict",
      "deleted_meanwhile",
      "Something that the request refers to was deleted at the same time. Read it again.",
    );
  // Express throws it for a path that is not valid percent-encoding.
  if (error instanceof URIError)
    return new AppError("bad_request", "malformed_url", "The URL's path is not valid percent-encoding.");
  return undefined;
}

/** Logs an unexpected error without its message, which may contain SQL, arguments or a body. */
export function logFault(log: Log, error: unknown, res: Response): void {
  // An expected error, such as a 503 without a live worker, is in the access log.
  if (error instanceof AppError) return;
  const { name, code, stack } = error instanceof Error ? (error as Error & { code?: unknown }) : { name: typeof error };
  log.error({
    request_id: requestId(res),
    error: name,
    code: typeof code === "string" ? code : undefined,
    at: stack
      ?.split("\n")
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 8)
      .map((line) => line.trim()),
  });
}
