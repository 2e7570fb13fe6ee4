import type { ErrorRequestHandler, RequestHandler, Response } from "express";
import { errorKinds } from "../../shared/domain/errors/error-codes.ts";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { Log } from "../../shared/platform/log.ts";
import { isDependencyFault, isLostReference } from "./is-dependency-fault.ts";
import { requestId } from "./request-context.ts";

/** Last of the routes: nothing else took the request. */
export const notFoundHandler: RequestHandler = () => {
  throw new AppError("not_found", "not_found", "Not Found");
};

/** The only place where errors become HTTP. Of an unknown one the client learns nothing, and the log its class. */
export function errorHandler(log: Log): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    if (res.headersSent) {
      logFault(log, error, res);
      res.destroy();
      return;
    }
    if (error instanceof ValidationFault) {
      res.status(422).json({ detail: error.detail });
      return;
    }
    const known = toAppError(error);
    if (!known || known.kind === "unavailable") logFault(log, error, res);
    sendError(res, known ?? new AppError("internal", "internal_error", "Internal Server Error"));
  };
}

function sendError(res: Response, error: AppError): void {
  const { kind, code, message: detail } = error;
  if (kind === "unauthorized") res.set("WWW-Authenticate", "Bearer");
  if (kind === "unavailable" || kind === "too_many_requests")
    res.set("Retry-After", String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1))));
  res.status(errorKinds[kind].status).json({ detail, code, request_id: requestId(res) });
}

function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (isDependencyFault(error))
    return new AppError("unavailable", "dependency_unavailable", "A part of the service is not reachable.", 1);
  if (isLostReference(error))
    return new AppError("conflict", "deleted_meanwhile", "Something that the request needs was deleted meanwhile.");
  // Express's own: a path that isn't percent-encoded text.
  if (error instanceof URIError) return new AppError("bad_request", "malformed_url", "The URL is malformed.");
  return undefined;
}

/** Of an error that nobody foresaw. The message stays out: it may hold SQL, arguments or a body. */
export function logFault(log: Log, error: unknown, res: Response): void {
  // Said on purpose, such as a 503 while no worker is there: the access log has it.
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
