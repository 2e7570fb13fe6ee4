import { stringEnd } from "../../shared/domain/json/measure-json.ts";

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
    if (code === quote) at = stringEnd(text, at);
    else if (code === colon) count += 1;
  }
  return count;
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
