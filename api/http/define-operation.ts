import type { Request, Response } from "express";
import { z } from "zod";
import type { ErrorCode } from "../../shared/domain/errors/error-codes.ts";
import type { Scope } from "../../shared/schemas/scope.ts";
import { idempotencyHeader } from "./idempotency-header.ts";
import type { RequestInfo } from "./request-info.ts";

type Method = "get" | "post" | "put" | "patch" | "delete";

/** The schemas of an operation's input. Headers are named in lower case. An optional `body` may be absent. */
export type RequestSchemas = {
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  body?: z.ZodType;
};

/** One documented answer. Without a `schema` it has no body. The default of `content_type` is JSON. */
type ResponseSpec = {
  description: string;
  schema?: z.ZodType;
  content_type?: string;
  /** The answer may also be a run's stream: Server-Sent Events, or plain text with `?format=text`. */
  streams?: true;
  /** What each event of a stream is, in JSON: of `text/event-stream`. */
  events?: z.ZodType;
  example?: unknown;
};

type Headers = Record<string, string>;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The body is taken as bytes: at most so many, within so many milliseconds (left out: the server's limit). False: it is JSON. */
export type RawBody = false | { most_bytes: number; most_ms?: number };

export type OperationInput<Q extends RequestSchemas, Raw extends RawBody = false> = RequestInfo & {
  params: Parsed<Q["params"]>;
  query: Parsed<Q["query"]>;
  headers: Parsed<Q["headers"]>;
  body: Raw extends false ? Parsed<Q["body"]> : Buffer;
};

/** An answer that is no JSON, such as HTML or text. */
type TextResult = { status: number; content_type: string; text: string | Buffer; headers?: Headers };
/** An answer that writes the response itself: a stream. It is not called for HEAD requests. */
type TakeoverResult = { respond: (req: Request, res: Response) => void | Promise<void> };
export type AnyResult = { status: number; body?: unknown; headers?: Headers } | TextResult | TakeoverResult;

type JsonResult<R extends Record<number, ResponseSpec>> = {
  [S in keyof R & number]: R[S] extends { schema: infer Z extends z.ZodType }
    ? { status: S; body: z.output<Z>; headers?: Headers }
    : { status: S; headers?: Headers };
}[keyof R & number];

/** The body of a JSON answer. */
type AnswerOf<R extends Record<number, ResponseSpec>> = Extract<JsonResult<R>, { body: unknown }>["body"];

/**
 * What the audit log says of an operation's use: the kind of its target (see `describeAct` for the target's id), and
 * what a reader must know beside the other parameters of the path, never a secret. A `detail` of null: nothing was changed, and
 * nothing is recorded. An answer without a body has no detail. `none`: why its uses are not recorded.
 */
type AuditRule<I, A> =
  | string
  | { target: string; detail: (input: I, answer: A) => AuditDetail | null }
  | { none: string };

type AuditDetail = Record<string, string | number | boolean | null>;

/** Each operation that may write says what the audit log records of it, or why nothing. */
type Writes<I, A> = { method: "get"; audit?: never } | { method: Exclude<Method, "get">; audit: AuditRule<I, A> };

type OperationSpec<C, Q extends RequestSchemas, R extends Record<number, ResponseSpec>, Raw extends RawBody> = Writes<
  OperationInput<Q, Raw>,
  AnswerOf<NoInfer<R>>
> & {
  /** In the form of OpenAPI: `/v1/runs/{run_id}`. */
  path: string;
  /** In snake_case: `get_run`. The OpenAPI operation id is made from it by FastAPI's rule. */
  name: string;
  /** The tag in OpenAPI. */
  area: string;
  /** The scope that a key must have. `public`: no key is needed. `any`: the handler checks the scope of what is asked. */
  scope: Scope | "public" | "any";
  /** A run's read token may use it, too. The path must have `{run_id}`. */
  runToken?: true;
  /** It accepts an `Idempotency-Key`: a repeated request gets the first one's answer. For operations that create something. */
  idempotent?: true;
  /** What it ignores instead of refusing it with a 422; see `Ignored`. */
  ignores?: Ignored;
  summary: string;
  description?: string;
  request?: Q;
  /** The handler gets the body as bytes of any content type, for checking a signature. */
  rawBody?: Raw;
  /**
   * The body may also be a folder, packed by tar and gzip: its files become the field `config.files`. The query parameter
   * `fields`, or the archive's global header, has the other fields.
   */
  takesFolder?: true;
  /** The codes that it throws, besides those of all operations of its kind; see `errorsOf`. */
  errors?: readonly ErrorCode[];
  responses: R;
  handle: (ctx: C, input: OperationInput<Q, Raw>) => Promise<JsonResult<NoInfer<R>> | TextResult | TakeoverResult>;
};

/**
 * What an operation ignores. `nothing`: a query parameter or a field of the body that its schemas don't name is a 422 that names it.
 * `unknown_fields`: the specification's operations ignore fields of the body. `unknown_input`: query parameters, too, as other
 * protocols have it.
 */
type Ignored = "nothing" | "unknown_fields" | "unknown_input";

/** An operation with any input and answers, of a service whose context is a `C`. */
export type Operation<C> = {
  method: Method;
  path: string;
  id: string;
  name: string;
  area: string;
  scope: Scope | "public" | "any";
  runToken: boolean;
  idempotent: boolean;
  /** Null for a GET, which changes nothing. */
  audit: Exclude<AuditRule<OperationInput<RequestSchemas, RawBody>, unknown>, string> | null;
  ignores: Ignored;
  summary: string;
  description: string | undefined;
  request: RequestSchemas;
  rawBody: RawBody;
  takesFolder: boolean;
  errors: readonly ErrorCode[];
  responses: Record<number, ResponseSpec>;
  handle: (ctx: C, input: OperationInput<RequestSchemas, RawBody>) => Promise<AnyResult>;
};

/**
 * Declares one operation: its input, its answers and its handler. The schemas give the handler's input its type, and the handler
 * may return documented answers only. Errors are thrown (`shared/domain/errors/app-error.ts`). Annotate the handler's `ctx` with
 * what it needs: `Pick<ApiContext, "db">`.
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
    audit: auditOf(spec.audit),
    ignores: spec.ignores ?? "nothing",
    summary,
    description,
    request: withOwnInput(spec.request ?? {}, spec),
    rawBody: spec.rawBody ?? false,
    takesFolder: spec.takesFolder ?? false,
    errors: spec.errors ?? [],
    responses,
    // mount.ts parses with the schemas in `request`, so the input has the type that they infer.
    handle: (ctx, input) => spec.handle(ctx, input as OperationInput<Q, Raw>),
  };
}

function auditOf<I, A>(rule: AuditRule<I, A> | undefined): Operation<never>["audit"] {
  if (typeof rule === "string") return { target: rule, detail: () => ({}) };
  // perform.ts calls it with what mount.ts parsed and the handler answered.
  return (rule as Operation<never>["audit"] | undefined) ?? null;
}

/** Adds what an operation takes besides its own input: the header and the query parameter that other files read. */
function withOwnInput(
  request: RequestSchemas,
  spec: { idempotent?: true; runToken?: true; takesFolder?: true },
): RequestSchemas {
  const { headers = z.object({}), query = z.object({}) } = request;
  return {
    ...request,
    ...(spec.idempotent ? { headers: headers.extend(idempotencyHeader) } : {}),
    ...(spec.runToken ? { query: query.extend(runToken) } : {}),
    ...(spec.takesFolder ? { query: query.extend(folderFields) } : {}),
  };
}

const runToken = {
  token: z.string().optional().meta({ description: "A read token of the run, for clients that can't send headers." }),
};

const folderFields = {
  fields: z.string().optional().meta({
    description:
      "With a packed folder as the body: the body's other fields, as a JSON object. Longer ones may be the record `RUNFLEET.fields` of the archive's global pax header.",
    example: '{"make_current":true,"config":{"entrypoint":"main.py:main"}}',
  }),
};

/** FastAPI's rule: name and path with each `\W` replaced by `_`, then the method. */
const operationId = (name: string, path: string, method: Method): string =>
  `${`${name}${path}`.replaceAll(/\W/g, "_")}_${method}`;
