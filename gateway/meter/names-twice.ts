const quote = 0x22;
const colon = 0x3a;

/**
 * Returns true where JSON has a name twice in one object. Services differ in which of the two they take, so what such a request may
 * cost isn't known, unless it is written anew. `value`: what the text was parsed to.
 */
export const saysNamesTwice = (text: string, value: unknown): boolean => namesIn(text) > namesOf(value);

/** Each name in a text is followed by a colon outside of strings. */
function namesIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === colon) count += 1;
  }
  return count;
}

/** The quote that ends a string has an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

function namesOf(root: unknown): number {
  let count = 0;
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    const inner = Object.values(value);
    if (!Array.isArray(value)) count += inner.length;
    for (const item of inner) open.push(item);
  }
  return count;
}
