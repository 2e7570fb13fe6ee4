import type { z } from "zod";
import type { FaultItem } from "../../shared/domain/errors/validation-fault.ts";
import { listChoices } from "../../shared/schemas/primitives.ts";

type Issue = z.core.$ZodIssue;
type Fault = Pick<FaultItem, "type" | "msg" | "ctx">;
type Loc = (string | number)[];

/**
 * Translates zod's issues about `value` into FastAPI's items, in the same order. FastAPI's `input` is left out, since it could
 * contain a secret. Fields of `shared/schemas` bring the text of their faults; this file knows zod's own types.
 */
export function faultItems(issues: readonly Issue[], where: string, value: unknown): FaultItem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
    return describe(issue, valueAt(value, path)).map(({ at = [], ...fault }) => ({
      ...fault,
      loc: [where, ...path, ...at],
    }));
  });
}

function describe(issue: Issue, found: unknown): (Fault & { at?: Loc })[] {
  if (issue.code === "invalid_union")
    return issue.errors.flatMap((branch) =>
      faultItems(branch, "", found).map(({ loc, ...fault }) => ({ ...fault, at: loc.slice(1) })),
    );
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ type: "extra_forbidden", msg: "Extra inputs are not permitted", at: [key] }));
  if (found === undefined && issue.code !== "custom") return [{ type: "missing", msg: "Field required" }];
  return [faultOf(issue, found)];
}

function faultOf(issue: Issue, found: unknown): Fault {
  switch (issue.code) {
    case "custom":
      return customFault(issue);
    case "invalid_type":
      return wrongType(issue.expected, found);
    case "invalid_value": {
      const expected = listChoices(issue.values.map(String));
      return {
        type: issue.values.length === 1 ? "literal_error" : "enum",
        msg: `Input should be ${expected}`,
        ctx: { expected },
      };
    }
    case "too_small":
    case "too_big":
      return outOfRange(issue, found);
    case "invalid_format":
      return wrongFormat(issue);
    default:
      return valueError(issue.message);
  }
}

const valueError = (message: string): Fault => ({ type: "value_error", msg: `Value error, ${message}` });

function customFault(issue: z.core.$ZodIssueCustom): Fault {
  const { type, ctx } = issue.params ?? {};
  if (typeof type !== "string") return valueError(issue.message);
  return { type, msg: issue.message, ...(ctx ? { ctx } : {}) };
}

const typeNames: Record<string, readonly [type: string, noun: string]> = {
  string: ["string_type", "string"],
  record: ["dict_type", "dictionary"],
  array: ["list_type", "list"],
  boolean: ["bool_type", "boolean"],
  int: ["int_type", "integer"],
  number: ["float_type", "number"],
};

function wrongType(expected: string, found: unknown): Fault {
  if (expected === "object")
    return {
      type: "model_attributes_type",
      msg: "Input should be a valid dictionary or object to extract fields from",
    };
  if (expected === "int" && typeof found === "number")
    return { type: "int_from_float", msg: "Input should be a valid integer, got a number with a fractional part" };
  const [type, noun] = typeNames[expected] ?? [`${expected}_type`, expected];
  return { type, msg: `Input should be a valid ${noun}` };
}

function outOfRange(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig, found: unknown): Fault {
  const small = issue.code === "too_small";
  const limit = Number(small ? issue.minimum : issue.maximum);
  const bound = small ? "min_length" : "max_length";
  const most = `at ${small ? "least" : "most"} ${limit}`;
  const s = limit === 1 ? "" : "s";
  if (issue.origin === "string")
    return {
      type: small ? "string_too_short" : "string_too_long",
      msg: `String should have ${most} character${s}`,
      ctx: { [bound]: limit },
    };
  if (issue.origin === "array") {
    const actual_length = Array.isArray(found) ? found.length : 0;
    return {
      type: small ? "too_short" : "too_long",
      msg: `List should have ${most} item${s} after validation, not ${actual_length}`,
      ctx: { field_type: "List", [bound]: limit, actual_length },
    };
  }
  return beyondBound(small, issue.inclusive ?? true, limit);
}

function beyondBound(small: boolean, inclusive: boolean, limit: number): Fault {
  const word = small ? "greater" : "less";
  const [suffix, text] = inclusive ? ["_equal", " or equal to"] : ["", ""];
  const key = (small ? "g" : "l") + (inclusive ? "e" : "t");
  return { type: `${word}_than${suffix}`, msg: `Input should be ${word} than${text} ${limit}`, ctx: { [key]: limit } };
}

function wrongFormat(issue: z.core.$ZodIssueInvalidStringFormat): Fault {
  if (issue.format !== "regex" || !issue.pattern) return valueError(issue.message);
  const pattern = issue.pattern.replace(/^\/|\/[a-z]*$/g, "");
  return { type: "string_pattern_mismatch", msg: `String should match pattern '${pattern}'`, ctx: { pattern } };
}

/** Returns the value at `path`, by own keys only. */
function valueAt(value: unknown, path: Loc): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, key)
        ? (at as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );
}
