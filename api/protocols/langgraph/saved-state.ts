import { parseJsonText } from "../../../shared/domain/json/parse-json-text.ts";

// A space before its JSON tells a saved value from a saved text, which may look like JSON.
const valueMark = " ";

/** Returns a saved state that is a JSON object, as a value or as a text. Null: it is another one. */
export function parseState(snapshot: string | null): Record<string, unknown> | null {
  const json = snapshot?.startsWith(valueMark) ? snapshot.slice(valueMark.length) : snapshot;
  const state = json?.startsWith("{") ? parseJsonText(json) : null;
  return typeof state === "object" && state !== null ? { ...state } : null;
}

/** Returns a state as it is saved: as a value, or as a text where `before` is one. */
export function stateText(state: Record<string, unknown>, before: string | null): string {
  const isText = before?.startsWith("{") ?? false;
  return `${isText ? "" : valueMark}${JSON.stringify(state)}`;
}
