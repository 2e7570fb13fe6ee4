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
const [comma, colon] = [0x2c, 0x3a];

/** Returns the index of the quote that ends the string at `start`, or the text's end. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}
