import { z } from "zod";
import { AppError } from "../../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../../shared/domain/errors/validation-fault.ts";
import { laxInt } from "../../../shared/schemas/primitives.ts";
import type { Scope } from "../../../shared/schemas/scope.ts";
import {
  type AnyResult,
  defineOperation,
  type Operation,
  type OperationInput,
  type RequestSchemas,
} from "../../http/define-operation.ts";

type Route<C, Q extends RequestSchemas> = {
  method: Operation<C>["method"];
  path: string;
  name: string;
  scope: Scope | "public";
  audit?: string;
  request?: Q;
  handle: (ctx: C, input: OperationInput<Q>) => Promise<AnyResult>;
};

/** Declares a route of LangGraph's server. Its answers are LangGraph's, so no document of ours describes them. */
export function defineRoute<C, const Q extends RequestSchemas>({
  handle,
  method,
  audit,
  ...route
}: Route<C, Q>): Operation<C> {
  const operation = defineOperation<C, Q, Record<never, never>>({
    ...route,
    ...(method === "get" ? { method } : { method, audit: audit ?? { none: "It reads, or its run is the record." } }),
    request: withUnknownFields(route.request ?? {}) as Q,
    area: "LangGraph",
    summary: route.name,
    responses: {},
    handle: () => Promise.reject(new Error("The route has a handler of its own.")),
  });
  return { ...operation, handle: handle as Operation<C>["handle"] };
}

/** Fields that a newer client sends, and that nothing here reads, are no fault. */
function withUnknownFields({ query = z.object({}), body, ...request }: RequestSchemas): RequestSchemas {
  return { ...request, query: query.loose(), ...(body && { body: loosen(body) }) };
}

function loosen(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) return schema.loose();
  return schema instanceof z.ZodPrefault ? loosen(schema.def.innerType as z.ZodType).prefault({}) : schema;
}

/** The fault of a field that has no meaning here. LangGraph's client tries a 422 once only. */
export const notSupported = (field: string, msg: string): ValidationFault =>
  new ValidationFault([{ type: "not_supported", loc: ["body", field], msg }]);

/** The error of a route that LangGraph's server has and this service has not. */
export const notHere = (reason: string): AppError => new AppError("not_found", "not_found", reason);

/** Returns the fields that a request selects, or all. */
export function select(record: Record<string, unknown>, fields: readonly string[] | null | undefined) {
  return fields ? Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name))) : record;
}

const most = 1000;

/** How LangGraph's clients ask for a page: counted, not by a cursor. */
export const countedPage = {
  limit: laxInt({ ge: 1, le: most }).default(10),
  offset: laxInt({ ge: 0, le: 1_000_000 }).default(0),
};
