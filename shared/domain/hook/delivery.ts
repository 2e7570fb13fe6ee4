/** A delivery as a hook's filter and templates see it. Header names are in lower case. */
export type HookDocument = {
  headers: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  /** Of the body's bytes, in hex. */
  body_sha256: string;
};

/** The first words of the pointers into a `HookDocument`. */
const places = ["headers", "query", "body", "body_sha256"];

/** Returns why a text is no pointer into a delivery; null when it is one. */
export function pointerFault(pointer: string): string | null {
  if (!pointer.startsWith("/") || !places.includes(tokensOf(pointer)[0] ?? ""))
    return `'${pointer.slice(0, 80)}' must begin with /body, /headers, /query or /body_sha256`;
  return /~(?![01])/.test(pointer) ? `'${pointer.slice(0, 80)}' has a ~ that is neither ~0 nor ~1` : null;
}

const tokensOf = (pointer: string): string[] =>
  pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));

/** Returns the value at a pointer. Undefined: there is none. Only a value's own members count. */
export function valueAt(document: HookDocument, pointer: string): unknown {
  let value: unknown = document;
  for (const token of tokensOf(pointer)) {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value) && !/^(0|[1-9]\d{0,8})$/.test(token)) return undefined;
    if (!Object.hasOwn(value, token)) return undefined;
    value = (value as Record<string, unknown>)[token];
  }
  return value;
}
