import type { ErrorRequestHandler, Request, RequestHandler, Response } from "express";
import { errorKinds } from "../../shared/domain/errors/error-codes.ts";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { Log } from "../../shared/platform/log.ts";
import { isDependencyFault, isLostReference } from "../../shared/store/is-dependency-fault.ts";
import { type Protocol, protocolOf, type Refusal, type ShownRefusal } from "./protocol.ts";
import { queryOf, requestId } from "./request-context.ts";
import { cut } from "./until-gone.ts";

/** The last route: no other route matched the request. */
export const notFoundHandler: RequestHandler = () => {
  throw new AppError("not_found", "not_found", "Not Found");
};

type Protocols = readonly Pick<Protocol<never>, "prefix" | "showError">[];

/**
 * The only place that turns errors into HTTP answers, each in the shape of the protocol whose path was asked. An unknown error
 * is a plain 500; the log has its class and stack.
 */
export function errorHandler(log: Log, protocols: Protocols): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    if (res.headersSent) {
      logFault(log, error, res);
      cut(res);
      return;
    }
    const known = toKnownError(error);
    if (!known || (known instanceof AppError && known.kind === "unavailable")) logFault(log, error, res);
    const refusal = refusalOf(known ?? new AppError("internal", "internal_error", "Internal Server Error"), res);
    const showError = protocolOf(protocols, req.path)?.showError;
    const { status, headers = {}, body } = showError ? showError(refusal) : showOwnError(req, refusal);
    res.status(status).set(headers);
    if (typeof body === "string") res.type("text/plain").send(body);
    else res.json(body);
  };
}

function refusalOf(error: AppError | ValidationFault, res: Response): Refusal {
  const request_id = requestId(res);
  const { message } = error;
  if (error instanceof ValidationFault)
    return { status: 422, code: "validation_error", message, faults: error.detail, request_id };
  const { kind, code } = error;
  if (kind === "unauthorized") res.set("WWW-Authenticate", "Bearer");
  if (kind === "unavailable" || kind === "too_many_requests")
    res.set("Retry-After", String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1))));
  return { status: errorKinds[kind].status, code, message, faults: [], request_id };
}

/**
 * FastAPI's shape for requests that are not valid, and this service's own for all other errors. With `?format=openai` it also has
 * the `error` that OpenAI's clients read.
 */
function showOwnError(req: Request, { status, code, message, faults, request_id }: Refusal): ShownRefusal {
  const body = faults.length > 0 ? { detail: faults } : { detail: message, code, request_id };
  if (queryOf(req)["format"] !== "openai") return { status, body };
  const type = openaiTypes[status] ?? (status < 500 ? "invalid_request_error" : "server_error");
  return { status, body: { ...body, error: { message, type, code, param: null } } };
}

/** https://platform.openai.com/docs/guides/error-codes */
const openaiTypes: Record<number, string> = {
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  429: "rate_limit_error",
};

function toKnownError(error: unknown): AppError | ValidationFault | undefined {
  if (error instanceof AppError || error instanceof ValidationFault) return error;
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
