import { requestLimits } from "../run/request-limits.ts";
import { deeperThan } from "./measure-json.ts";

/**
 * Returns the value of a text that is JSON. Undefined: it is none, or nests deeper than a request may. A value that nests some
 * thousand levels can't be serialized again.
 */
export function parseJsonText(text: string): unknown {
  if (deeperThan(text, requestLimits.json_depth)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
