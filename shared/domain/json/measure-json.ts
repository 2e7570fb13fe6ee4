/** How much work a JSON text is to parse, besides its length. */
export type JsonSize = {
  /** The depth of nested arrays and objects. */
  depth: number;
  /** The number of items and members. A member counts twice, because its name is a value, too. */
  values: number;
};

/** Measures a JSON text in one pass without recursion, until it exceeds `most`. Strings are skipped. */
export function measureJson(text: string, most: JsonSize): JsonSize {
  let [open, depth, values] = [0, 0, 1];
  for (let at = 0; at < text.length && values <= most.values && depth <= most.depth; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = stringEnd(text, at);
    else if (code === comma || code === colon) values += 1;
    else if (code === openBracket || code === openBrace) {
      open += 1;
      values += 1;
      if (open > depth) depth = open;
    } else if (code === closeBracket || code === closeBrace) open -= 1;
  }
  return { depth, values };
}

/** True when a JSON text nests arrays and objects deeper than `limit`. */
export const deeperThan = (text: string, limit: number): boolean =>
  measureJson(text, { depth: limit, values: Infinity }).depth > limit;

const [quote, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d];
const [comma, colon, backslash] = [0x2c, 0x3a, 0x5c];

/** Returns the index of the quote that ends the string at `start`, or the text's end. */
export function stringEnd(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  if (end === -1) return text.length;
  return isEscaped(text, end) ? endBehind(text, end + 1) : end;
}

/** The same for a string with quotes in it, which may be a million: a search for each would take longer than a walk. */
function endBehind(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  return text.length;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}
