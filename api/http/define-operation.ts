import type { Request, Response } from "express";
import { z } from "zod";
import type { ErrorCode } from "../../shared/domain/errors/error-codes.ts";
import type { Scope } from "../../shared/schemas/scope.ts";
import { idempotencyHeader } from "./idempotency-header.ts";
import type { RequestInfo } from "./request-info.ts";

type Method = "get" | "post" | "put" | "patch" | "delete";

/** What an operation takes. `headers` are named in lower case; an optional `body` may be absent. */
export type RequestSchemas = {
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: z.ZodType;
};

/** One documented answer. Without a `schema` it has no body; `content_type` is JSON's unless it is said. */
type ResponseSpec = {
  description: string;
  schema?: z.ZodType;
  content_type?: string;
  /** The answer may be a run's stream as well: Server-Sent Events, or a plain text where that was asked for. */
  streams?: true;
  example?: unknown;
};

type Headers = Record<string, string>;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The body as bytes, and how many at most; false: as JSON. */
export type RawBody = false | { most_bytes: number };

export type OperationInput<Q extends RequestSchemas, Raw extends RawBody = false> = RequestInfo & {
  params: Parsed<Q["params"]>;
  query: Parsed<Q["query"]>;
  headers: Parsed<Q["headers"]>;
  body: Raw extends false ? Parsed<Q["body"]> : Buffer;
};

/** An answer with its own bytes: HTML, text. */
type TextResult = { status: number; content_type: string; text: string | Buffer; headers?: Headers };
/** An answer that takes the socket over: a stream. It is done when the promise settles. HEAD never gets here. */
type TakeoverResult = { respond: (req: Request, res: Response) => void | Promise<void> };
export type AnyResult = { status: number; body?: unknown; headers?: Headers } | TextResult | TakeoverResult;

type JsonResult<R extends Record<number, ResponseSpec>> = {
  [S in keyof R & number]: R[S] extends { schema: infer Z extends z.ZodType }
    ? { status: S; body: z.output<Z>; headers?: Headers }
    : { status: S; headers?: Headers };
}[keyof R & number];

type OperationSpec<C, Q extends RequestSchemas, R extends Record<number, ResponseSpec>, Raw extends RawBody> = {
  method: Method;
  /** As in OpenAPI: `/v1/runs/{run_id}`. */
  path: string;
  /** In words of its own: `get_run`. The operation id is made from it in FastAPI's way. */
  name: string;
  /** OpenAPI's tag. */
  area: string;
  /** What a key must be allowed to. `public`: needs no key. */
  scope: Scope | "public";
  /** A run's read token may ask for it too; its path has `{run_id}`. */
  runToken?: true;
  /** It takes an `Idempotency-Key`: a request that repeats another one gets its answer. For what creates. */
  idempotent?: true;
  /** The audit log notes who did it to a thing of this kind, whose id is the path's `{<kind>_id}` or the answer's. */
  audit?: string;
  summary: string;
  description?: string;
  request?: Q;
  /** The body is handed over as bytes, whatever its type (a signature is made of them), at most so many. */
  rawBody?: Raw;
  /** What it throws beside what all operations of its kind do; see `errorsOf`. */
  errors?: readonly ErrorCode[];
  responses: R;
  handle: (ctx: C, input: OperationInput<Q, Raw>) => Promise<JsonResult<NoInfer<R>> | TextResult | TakeoverResult>;
};

/** An operation of a service whose context is a `C`, whatever it takes and answers. */
export type Operation<C> = {
  method: Method;
  path: string;
  id: string;
  name: string;
  area: string;
  scope: Scope | "public";
  runToken: boolean;
  idempotent: boolean;
  audit: string | null;
  summary: string;
  description: string | undefined;
  request: RequestSchemas;
  rawBody: RawBody;
  errors: readonly ErrorCode[];
  responses: Record<number, ResponseSpec>;
  handle: (ctx: C, input: OperationInput<RequestSchemas, RawBody>) => Promise<AnyResult>;
};

/**
 * One operation: what it takes, what it answers, and the handler, whose input is typed by the schemas and whose JSON
 * answers must be documented ones. Errors are thrown (`shared/domain/errors/app-error.ts`). Annotate the handler's `ctx` with what it needs.
 */
export function defineOperation<
  C,
  const Q extends RequestSchemas,
  const R extends Record<number, ResponseSpec>,
  const Raw extends RawBody = false,
>(spec: OperationSpec<C, Q, R, Raw>): Operation<C> {
  const { method, path, name, area, scope, summary, description, responses } = spec;
  return {
    method,
    path,
    id: operationId(name, path, method),
    name,
    area,
    scope,
    runToken: spec.runToken ?? false,
    idempotent: spec.idempotent ?? false,
    audit: spec.audit ?? null,
    summary,
    description,
    request: spec.idempotent ? withIdempotencyKey(spec.request ?? {}) : (spec.request ?? {}),
    rawBody: spec.rawBody ?? false,
    errors: spec.errors ?? [],
    responses,
    // The mount parses with the very schemas in `request`, so the input has the type that they infer.
    handle: (ctx, input) => spec.handle(ctx, input as OperationInput<Q, Raw>),
  };
}

const withIdempotencyKey = (request: RequestSchemas): RequestSchemas => ({
  ...request,
  headers: (request.headers ?? z.object({})).extend(idempotencyHeader),
});

/** FastAPI's rule: `\W` of name + path becomes `_`, then the method. */
const operationId = (name: string, path: string, method: Method): string =>
  `${`${name}${path}`.replaceAll(/\W/g, "_")}_${method}`;
