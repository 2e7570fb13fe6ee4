import type { z } from "zod";
import type { FaultItem } from "../../shared/domain/errors/validation-fault.ts";

type Path = (string | number)[];
type Schema = z.core.$ZodType;

/** Returns a fault for each field of `value` that `schema` doesn't name, also in nested objects. Free-form objects have no such fields. */
export function unknownFields(schema: Schema | undefined, value: unknown, where: string): FaultItem[] {
  const found = schema ? unknownPaths(schema, value) : isObject(value) ? Object.keys(value).map((key) => [key]) : [];
  return found.map((path) => ({
    type: "extra_forbidden",
    loc: [where, ...path],
    msg: "Extra inputs are not permitted",
  }));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function unknownPaths(schema: Schema, value: unknown): Path[] {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  switch (def.type) {
    case "object": {
      if (!isObject(value)) return [];
      return Object.entries(value).flatMap(([key, inner]) => {
        const known = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
        if (known) return below(key, unknownPaths(known, inner));
        // A catchall means that zod judges other keys itself: they are welcome, or refused already.
        return def.catchall ? [] : [[key]];
      });
    }
    case "array":
      return Array.isArray(value) ? value.flatMap((item, at) => below(at, unknownPaths(def.element, item))) : [];
    case "record":
      return isObject(value)
        ? Object.entries(value).flatMap(([key, item]) => below(key, unknownPaths(def.valueType, item)))
        : [];
    case "union": {
      const fitting = def.options.filter((option) => (option as z.ZodType).safeParse(value).success);
      const unknown = fitting.map((option) => unknownPaths(option, value));
      return unknown.toSorted((a, b) => a.length - b.length)[0] ?? [];
    }
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return unknownPaths(def.innerType, value);
    case "pipe":
      return unknownPaths(def.in, value);
    case "lazy":
      return unknownPaths(def.getter(), value);
    default:
      return [];
  }
}

const below = (key: string | number, paths: Path[]): Path[] => paths.map((path) => [key, ...path]);
