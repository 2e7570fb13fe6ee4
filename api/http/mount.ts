import { type Request, type RequestHandler, type Response, Router } from "express";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import type { AnyResult, Operation, OperationInput, RawBody, RequestSchemas } from "./define-operation.ts";
import { authorize, countBody, limiterKey } from "./authorize.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import type { CountedBody } from "./body-budget.ts";
import type { Caller } from "./caller.ts";
import type { Guards } from "./guards.ts";
import { openJson } from "./parse-json.ts";
import { perform } from "./perform.ts";
import { sendBody } from "./send-body.ts";
import { readRawBody } from "./raw-body.ts";
import { isFolder, openFolder, readFolderBytes, refuseFields } from "./read-folder.ts";
import type { RequestInfo } from "./request-info.ts";
import { queryOf, requestInfo } from "./request-context.ts";
import { parseRequest } from "./parse-request.ts";
import { clientAddress } from "./client-address.ts";

/**
 * Returns the router of the operations. A request is authorized first, and parsed afterwards. A known path with another method is
 * a 405 that names the allowed methods. HEAD is a GET without the body. Other paths are left to the next route.
 */
export function mountOperations<C>(operations: readonly Operation<C>[], ctx: C, guards: Guards): Router {
  const router = Router({ caseSensitive: true });
  const plainPaths = new Map<string, RequestHandler>();
  for (const [path, methods] of byPath(operations)) {
    const handle = handlerOf(path, methods, ctx, guards);
    if (!path.includes("{")) plainPaths.set(path, handle);
    router.route(expressPath(path)).all(handle);
  }
  // Express tries one route after another, and most requests are for a path without parameters. With a slash at its end only a route takes it.
  return Router().use((req, res, next) => (plainPaths.get(req.path) ?? router)(req, res, next));
}

function handlerOf<C>(path: string, methods: Map<string, Operation<C>>, ctx: C, guards: Guards): RequestHandler {
  return async (req, res) => {
    res.locals["route"] = path;
    const operation = methods.get(req.method === "HEAD" ? "get" : req.method.toLowerCase());
    if (!operation) throw methodNotAllowed(res, [...methods.keys()]);
    const caller = await authorize(guards, operation, req);
    const held = operation.rawBody
      ? guards.bodies.unsigned.open(clientAddress(req), res)
      : guards.bodies.keyed.open(limiterKey(caller, req), res);
    // The request itself was counted when it was authorized.
    let counted = 1;
    const countSize = async (size: Size): Promise<void> => {
      counted = await countBody(guards, caller, req, { size, counted });
    };
    const { body, size } = await readBody(operation, req, { count: (bytes) => held.count(bytes), countSize });
    if (size) await countSize(size);
    const holdOpen = (who = limiterKey(caller, req)): void => guards.streams.count(who, res);
    const input = readInput(operation, { req, res, caller, holdOpen, body: await body() });
    if (!operation.rawBody) held.release();
    await answer(req, res, await perform(guards, ctx, operation, input));
  };
}

/** Groups operations by path and method. `/v1/users/me` comes before `/v1/users/{user_id}`, whatever the order of the list. */
function byPath<C>(operations: readonly Operation<C>[]): [string, Map<string, Operation<C>>][] {
  const paths = new Map<string, Map<string, Operation<C>>>();
  for (const operation of operations) {
    const methods = paths.get(operation.path) ?? new Map<string, Operation<C>>();
    if (methods.has(operation.method)) throw new Error(`${operation.method} ${operation.path} is defined twice`);
    paths.set(operation.path, methods.set(operation.method, operation));
  }
  // "{" sorts after all letters and digits.
  return [...paths].sort(([a], [b]) => (a < b ? -1 : 1));
}

const expressPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ":$1");

function methodNotAllowed(res: Response, methods: string[]): AppError {
  const allowed = methods.flatMap((method) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]));
  res.set("Allow", allowed.sort().join(", "));
  return new AppError("method_not_allowed", "method_not_allowed", "Method Not Allowed");
}

/** `body` parses what was received: a body is counted before. */
type ReceivedBody = { size: Size | null; body: () => unknown };

type Size = { bytes: number; values: number };
type Count = CountedBody["count"];
type Counts = { count: Count; countSize: (size: Size) => Promise<void> };

async function readBody<C>(operation: Operation<C>, req: Request, { count, countSize }: Counts): Promise<ReceivedBody> {
  if (operation.takesFolder && isFolder(req)) {
    const bytes = await readFolderBytes(req, count);
    return {
      size: { bytes: bytes.length, values: 0 },
      body: () => openFolder(bytes, queryOf(req)["fields"], countSize),
    };
  }
  if (operation.takesFolder) refuseFields(queryOf(req));
  const bytes = await readBytes(operation, req, count);
  if (!bytes) return { size: null, body: () => undefined };
  if (operation.rawBody) return { size: { bytes: bytes.length, values: 0 }, body: () => bytes };
  const json = openJson(bytes, req.headers["content-type"]);
  return { size: { bytes: bytes.length, values: json.values }, body: () => json.parse() };
}

async function readBytes<C>(operation: Operation<C>, req: Request, count: Count): Promise<Buffer | undefined> {
  const { request, rawBody, method, ignores } = operation;
  if (rawBody) return readRawBody(req, { ...rawBody, count });
  // A body that an operation has no use for is read too, so that its fields are refused and not ignored.
  const refuses = ignores === "nothing" && method !== "get" && method !== "delete";
  return request.body || refuses ? readRawBody(req, { most_bytes: requestLimits.body_bytes, count }) : undefined;
}

type RawRequest = { req: Request; res: Response; caller: Caller; holdOpen: RequestInfo["holdOpen"]; body: unknown };

function readInput<C>(
  { request, ignores, rawBody }: Operation<C>,
  { req, res, body, ...more }: RawRequest,
): OperationInput<RequestSchemas, RawBody> {
  const parts = parseRequest(
    { request, ignores },
    {
      params: req.params,
      query: queryOf(req),
      headers: req.headers,
      body: rawBody ? undefined : body,
    },
  );
  return { ...requestInfo(req, res), ...more, ...parts, body: rawBody ? body : parts.body };
}

async function answer(req: Request, res: Response, result: AnyResult): Promise<void> {
  if ("respond" in result) {
    // Frees Express' closure, which the request would otherwise keep as long as its answer lasts.
    req.next = () => undefined;
    if (req.method === "HEAD") res.end();
    else await result.respond(req, res);
    return;
  }
  res.status(result.status).set(result.headers ?? {});
  if ("text" in result) await sendBody(req, res, result.content_type, result.text);
  else if (result.body === undefined) res.end();
  else await sendBody(req, res, "application/json; charset=utf-8", JSON.stringify(result.body));
}
