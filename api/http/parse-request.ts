import type { z } from "zod";
import { type FaultItem, ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { Operation } from "./define-operation.ts";
import { unknownFields } from "./unknown-input.ts";
import { faultItems } from "./validation-error.ts";

/** The parts of a request before validation. `body` is parsed JSON, or undefined when there is none. */
export type RawParts = {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  body: unknown;
};

type RequestSchemas = Operation<never>["request"];
type Parts = { [P in keyof RequestSchemas]-?: z.output<NonNullable<RequestSchemas[P]>> | undefined };

/** The parts in FastAPI's order, with FastAPI's names for `loc`. */
const order = [
  ["params", "path"],
  ["query", "query"],
  ["headers", "header"],
  ["body", "body"],
] as const;

/**
 * Parses all parts of a request. Throws one ValidationFault with the faults of all parts, in FastAPI's order. A field that no schema
 * names is a fault, unless the operation ignores such fields.
 */
export function parseRequest(
  { request: schemas, ignores }: Pick<Operation<never>, "request" | "ignores">,
  raw: RawParts,
): Parts {
  const isStrict = { params: false, headers: false, query: ignores !== "unknown_input", body: ignores === "nothing" };
  const faults: FaultItem[] = [];
  const parts: Record<string, unknown> = {};
  for (const [part, where] of order) {
    const schema = schemas[part];
    // FastAPI treats a JSON null as an absent body.
    const value = part === "query" ? nestQuery(schemas.query, raw.query) : (raw[part] ?? undefined);
    const parsed = schema?.safeParse(value);
    // A body may have a hundred thousand faults, which are too many arguments.
    if (parsed && !parsed.success)
      for (const fault of faultItems(parsed.error.issues, where, value)) faults.push(fault);
    if (isStrict[part]) for (const fault of unknownFields(schema, value, where)) faults.push(fault);
    parts[part] = parsed?.data;
  }
  if (faults.length > 0) throw new ValidationFault(faults);
  return parts as Parts;
}

/** Puts `name[key]=value` into an object under `name`, where the schema has this name. */
function nestQuery(schema: z.ZodObject | undefined, query: RawParts["query"]): RawParts["query"] {
  const nested = new Map<string, [string, unknown][]>();
  const plain = Object.entries(query).filter(([name, value]) => {
    const [, outer = "", inner = ""] = /^(\w+)\[([^\]]*)\]$/.exec(name) ?? [];
    if (outer === "" || !Object.hasOwn(schema?.shape ?? {}, outer)) return true;
    nested.set(outer, [...(nested.get(outer) ?? []), [inner, value]]);
    return false;
  });
  return Object.fromEntries([...plain, ...[...nested].map(([name, entries]) => [name, Object.fromEntries(entries)])]);
}
