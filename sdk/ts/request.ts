import {
  ApiError,
  type ApiErrorFields,
  ConflictError,
  UnreachableError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  QuotaError,
  RunfleetError,
  type Issue,
  RateLimitError,
  UnauthorizedError,
} from "./errors.ts";
import { retryAfter, retryDelay } from "./retry-delay.ts";
import { wait } from "./wait.ts";

export type Binary = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;

/** What any call may be given beside its own arguments. */
export type CallOptions = {
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** For operations that create. Left out: one is made, so that a repeated request creates once. */
  idempotencyKey?: string | undefined;
};

export type Request = {
  method: string;
  path: string;
  query?: Record<string, unknown> | undefined;
  /** Sent as JSON; bytes are sent as they are, as an archive. */
  body?: unknown;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
  /** True when the request may be sent twice without harm. */
  isRepeatable: boolean;
};

/** Sends requests to one service. */
export type Service = { url: string; apiKey: string | undefined; fetch: typeof fetch };

/** How often a request is sent at most. */
const maxTries = 3;
/** Of an answer's head, and of JSON as a whole. Other bodies may take longer. */
const answerTimeoutMs = 120_000;

/** Sends a request, again where that does no harm and may help. Returns a good answer. Throws ApiError or UnreachableError. */
export const send = (service: Service, request: Request): Promise<Response> =>
  repeat(request, () => sendOnce(service, request));

/** Sends a request as `send` does and returns the JSON of its answer; undefined when it has none. */
export async function readJson<T>(service: Service, request: Request): Promise<T> {
  const text = await repeat(request, () => exchange(service, request, (response) => response.text()));
  try {
    return (text === "" ? undefined : JSON.parse(text)) as T;
  } catch (error) {
    throw new RunfleetError(`The service sent an answer that is no JSON: ${text.slice(0, 200)}`, { cause: error });
  }
}

async function repeat<T>({ isRepeatable, signal }: Request, act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (failure) {
      if (tries >= maxTries || !isWorthRetry(failure, isRepeatable)) throw failure;
      await wait(Math.max(retryDelay(tries - 1), retryAfter(failure)), signal);
    }
  }
}

/** True when the same request may succeed later. A 429 was refused before anything was done. */
function isWorthRetry(failure: unknown, isRepeatable: boolean): boolean {
  if (failure instanceof ApiError && (failure.retryAfterMs ?? 0) > longestWaitMs) return false;
  return failure instanceof RateLimitError || (isRepeatable && isTransient(failure));
}

/** True for what passes: a lost connection, a service that restarts. */
export function isTransient(failure: unknown): boolean {
  if (failure instanceof ApiError) return [408, 429, 502, 503, 504].includes(failure.status);
  return failure instanceof UnreachableError;
}

/** Whether to wait longer before a request is repeated is the caller's decision. */
const longestWaitMs = 10_000;

/** Sends a request once. Throws ApiError or UnreachableError; what aborted the signal, as it is. */
export const sendOnce = (service: Service, request: Request): Promise<Response> =>
  exchange(service, request, (response) => Promise.resolve(response));

/** Returns what `read` reads of a good answer. */
async function exchange<T>(service: Service, request: Request, read: (response: Response) => Promise<T>): Promise<T> {
  const { method, query, body, signal } = request;
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(lateError()), answerTimeoutMs);
  try {
    const response = await service.fetch(service.url + request.path + queryString(query), {
      method,
      // A redirected POST would be sent as a GET, and any request without its key.
      redirect: "manual",
      headers: headersOf(service, request),
      signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      ...(body === undefined ? {} : { body: isBinary(body) ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw await readError(response);
    return await read(response);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ApiError) throw error;
    throw new UnreachableError(`No answer from ${service.url}.`, method, error);
  } finally {
    clearTimeout(timer);
  }
}

const lateError = (): Error => new Error(`none came within ${answerTimeoutMs / 1000} s`);

function headersOf({ apiKey }: Service, { body, headers }: Request): Record<string, string> {
  const type = isBinary(body) ? "application/gzip" : "application/json";
  return {
    ...(body === undefined ? {} : { "content-type": type }),
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    ...headers,
  };
}

const isBinary = (body: unknown): body is Binary =>
  body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body);

type QueryValue = string | number | boolean | null | undefined | Date | Record<string, string> | string[];

/** `metadata: {a: 1}` becomes `metadata[a]=1`, `status: ["error", "timeout"]` becomes `status=error,timeout`. */
function queryString(query: Record<string, unknown> = {}): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query as Record<string, QueryValue>)) {
    if (value === undefined || value === null) continue;
    if (value instanceof Date) pairs.append(name, value.toISOString());
    else if (Array.isArray(value)) pairs.append(name, value.join(","));
    else if (typeof value !== "object") pairs.append(name, String(value));
    else for (const [key, one] of Object.entries(value)) pairs.append(`${name}[${key}]`, one);
  }
  return pairs.size === 0 ? "" : `?${pairs}`;
}

const classes: Record<number, new (message: string, fields: ApiErrorFields) => ApiError> = {
  401: UnauthorizedError,
  402: QuotaError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

type ErrorBody = { detail?: unknown; code?: string; request_id?: string };
type Fault = { loc?: (string | number)[]; msg?: string; type?: string };

async function readError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  const body = parseObject(text);
  const issues = Array.isArray(body.detail) ? (body.detail as Fault[]).map(readIssue) : null;
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  const fields: ApiErrorFields = {
    status: response.status,
    code: body.code ?? (issues ? "invalid" : `http_${response.status}`),
    requestId: body.request_id ?? response.headers.get("x-request-id") ?? undefined,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  };
  if (issues) return new InvalidError(issues, fields);
  const Class = classes[response.status] ?? ApiError;
  const message = typeof body.detail === "string" ? body.detail : describeStatus(response);
  return new Class(message, fields);
}

/** In a browser a redirection has no status and no address. */
function describeStatus({ status, type, headers }: Response): string {
  if (type !== "opaqueredirect" && (status < 300 || status >= 400)) return `The service answered ${status}.`;
  const to = headers.get("location") ?? "another address";
  return `The service's address redirects to ${to}. Give the client the address that answers itself.`;
}

/** The first word of a place says which part of the request it is in: `body`, `query`. */
function readIssue({ loc = [], msg = "", type = "" }: Fault): Issue {
  return { place: loc.slice(1).join(".") || String(loc[0] ?? ""), message: msg.replace("Value error, ", ""), type };
}

function parseObject(text: string): ErrorBody {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
