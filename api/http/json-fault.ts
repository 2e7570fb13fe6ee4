/** The first error of a JSON text, in the words of Python's json module. `position` counts code points. */
export type JsonFault = { position: number; error: string };

type Stop = { at: number; error: string };

/**
 * Returns what Python's C scanner (3.11) reports for a text that JSON.parse refused. It never throws and needs no recursion.
 * NaN and Infinity, which Python would take, are "Expecting value".
 * https://github.com/python/cpython/blob/3.11/Modules/_json.c
 */
export function findJsonFault(text: string): JsonFault {
  const { at, error } = scan(text);
  return { position: at - countPairs(text, at), error };
}

/** Returns the number of surrogate pairs before `end`. */
function countPairs(text: string, end: number): number {
  let pairs = 0;
  for (let at = 1; at < end; at += 1)
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) pairs += 1;
  return pairs;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (" \t\n\r".includes(text[at] ?? "x")) at += 1;
  return at;
}

function matchEnd(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Walks value by value; `open` holds the closing bracket of each container around `at`. */
function scan(text: string): Stop {
  const open: ("]" | "}")[] = [];
  let at = afterSpace(text, 0);
  for (;;) {
    const begun = beginContainer(text, at);
    if (begun) open.push(begun.close);
    const value = begun ? begun.first : scalarEnd(text, at);
    if (typeof value === "object") return value;
    at = value;
    const next = begun?.empty === false ? at : leaveValue(text, at, open);
    if (typeof next === "object") return next;
    at = next;
  }
}

type OpenContainer = { close: "]" | "}"; empty: boolean; first: number | Stop };

/** At `[` or `{`: returns where the first value begins or, for an empty container, the index of the closing bracket. */
function beginContainer(text: string, at: number): OpenContainer | undefined {
  const opening = text[at];
  if (opening !== "[" && opening !== "{") return undefined;
  const close = opening === "[" ? "]" : "}";
  const inside = afterSpace(text, at + 1);
  const empty = text[inside] === close;
  return { close, empty, first: empty || close === "]" ? inside : valueOfKey(text, inside) };
}

/** After a value: closes all containers that end here, and returns where the next value begins. */
function leaveValue(text: string, from: number, open: ("]" | "}")[]): number | Stop {
  let at = afterSpace(text, from);
  while (open.length > 0 && text[at] === open.at(-1)) {
    open.pop();
    at = afterSpace(text, at + 1);
  }
  if (open.length === 0) return { at, error: "Extra data" };
  if (text[at] !== ",") return { at, error: "Expecting ',' delimiter" };
  at = afterSpace(text, at + 1);
  return open.at(-1) === "}" ? valueOfKey(text, at) : at;
}

function valueOfKey(text: string, at: number): number | Stop {
  if (text[at] !== '"') return { at, error: "Expecting property name enclosed in double quotes" };
  const end = stringEnd(text, at);
  if (typeof end === "object") return end;
  const colon = afterSpace(text, end);
  return text[colon] === ":" ? afterSpace(text, colon + 1) : { at: colon, error: "Expecting ':' delimiter" };
}

function scalarEnd(text: string, at: number): number | Stop {
  if (text[at] === '"') return stringEnd(text, at);
  const end = matchEnd(/null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y, text, at);
  return end ?? { at, error: "Expecting value" };
}

/** Returns the index after the string that begins at `start`. */
function stringEnd(text: string, start: number): number | Stop {
  for (let at = start + 1; ;) {
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    at = matchEnd(/[^"\\\u0000-\u001f]*/y, text, at) ?? at;
    const char = text[at];
    if (char === undefined) return { at: start, error: "Unterminated string starting at" };
    if (char === '"') return at + 1;
    if (char !== "\\") return { at, error: "Invalid control character at" };
    const end = escapeEnd(text, at);
    if (end === undefined) return { at: start, error: "Unterminated string starting at" };
    if (typeof end === "object") return end;
    at = end;
  }
}

/** Returns the index after the escape that begins at `at`. Undefined: the text ends inside the escape. */
function escapeEnd(text: string, at: number): number | Stop | undefined {
  const kind = text[at + 1];
  if (kind === undefined) return undefined;
  if (kind !== "u") return '"\\/bfnrt'.includes(kind) ? at + 2 : { at, error: "Invalid \\escape" };
  return matchEnd(/[0-9a-fA-F]{4}(?=[^])/y, text, at + 2) ?? { at: at + 1, error: "Invalid \\uXXXX escape" };
}
