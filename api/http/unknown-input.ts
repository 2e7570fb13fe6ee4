import { z } from "zod";
import type { FaultItem } from "../../shared/domain/errors/validation-fault.ts";

type Path = (string | number)[];
type Schema = z.core.$ZodType;

/** Returns a fault for each field of `value` that `schema` doesn't name, also in nested objects. Free-form objects have no such fields. */
export function unknownFields(schema: Schema | undefined, value: unknown, where: string): FaultItem[] {
  return unknownPaths(schema ?? noFields, value).map((path) => ({
    type: "extra_forbidden",
    loc: [where, ...path],
    msg: "Extra inputs are not permitted",
  }));
}

const noFields = z.object({});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function unknownPaths(schema: Schema, value: unknown): Path[] {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  if ("innerType" in def) return unknownPaths(def.innerType, value);
  switch (def.type) {
    case "object":
      return isObject(value) ? unknownKeys(def, value) : [];
    case "array":
      return Array.isArray(value) ? value.flatMap((item, at) => below(at, unknownPaths(def.element, item))) : [];
    case "record":
      return isObject(value)
        ? Object.entries(value).flatMap(([key, item]) => below(key, unknownPaths(def.valueType, item)))
        : [];
    case "union": {
      const fitting = def.options.filter((option) => z.safeParse(option, value).success);
      return fitting.map((option) => unknownPaths(option, value)).toSorted((a, b) => a.length - b.length)[0] ?? [];
    }
    case "pipe":
      return unknownPaths(def.in, value);
    default:
      return [];
  }
}

/** A catchall means that zod judges other keys itself: they are welcome, or refused already. */
function unknownKeys({ shape, catchall }: z.core.$ZodObjectDef, value: Record<string, unknown>): Path[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (known) return below(key, unknownPaths(known, inner));
    return catchall ? [] : [[key]];
  });
}

const below = (key: string | number, paths: Path[]): Path[] => paths.map((path) => [key, ...path]);
