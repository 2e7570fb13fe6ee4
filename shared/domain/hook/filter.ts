import { type HookDocument, pointerFault, valueAt } from "./delivery.ts";

type Scalar = string | number | boolean | null;
/** What a place of a delivery must hold: a value, one of several, or none of these. Null: nothing, or null itself. */
type Expected = Scalar | Scalar[] | { not: Scalar | Scalar[] };
/** By JSON pointer; all must hold. */
export type HookFilter = Record<string, Expected>;

const mostConditions = 50;
const mostValues = 100;

/** Returns why a value is no filter; null when it is one. */
export function filterFault(value: object): string | null {
  const conditions = Object.entries(value);
  if (conditions.length > mostConditions) return `it has more than ${mostConditions} conditions`;
  for (const [pointer, expected] of conditions) {
    const fault = pointerFault(pointer) ?? expectedFault(expected);
    if (fault !== null) return fault === "" ? `the value of '${pointer.slice(0, 80)}' ${wanted}` : fault;
  }
  return null;
}

const wanted = `must be a text, a number, a boolean, null, a list of those, or {"not": …} of one of those`;

/** Returns an empty text for a value that can't be compared with; null for one that can. */
function expectedFault(expected: unknown): "" | null {
  if (isScalars(expected)) return null;
  const isNot = typeof expected === "object" && expected !== null && Object.keys(expected).join() === "not";
  return isNot && isScalars((expected as { not: unknown }).not) ? null : "";
}

const isScalars = (value: unknown): value is Scalar | Scalar[] =>
  Array.isArray(value) ? value.length <= mostValues && value.every(isScalar) : isScalar(value);

const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== "object";

/** True when a delivery meets all conditions of a filter. */
export function matchesFilter(filter: HookFilter, document: HookDocument): boolean {
  return Object.entries(filter).every(([pointer, expected]) => {
    const value = valueAt(document, pointer) ?? null;
    if (typeof expected === "object" && expected !== null && "not" in expected) return !isOneOf(value, expected.not);
    return isOneOf(value, expected);
  });
}

const isOneOf = (value: unknown, expected: Scalar | Scalar[]): boolean =>
  Array.isArray(expected) ? expected.some((one) => one === value) : expected === value;
