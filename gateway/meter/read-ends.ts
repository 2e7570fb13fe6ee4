import { readJson } from "./read-usage.ts";

/** The places at which services say of a whole answer what it cost. In a string the quotes would have backslashes. */
const usages = /(?<!\\)"(usage|usageMetadata)"\s*:\s*\{/g;
const models = /(?<!\\)"(?:model|modelVersion)"\s*:\s*"([^"\\]{1,200})"/g;
const fails = /^\s*\{\s*"error"\s*:\s*\{/;

/**
 * Returns what the two ends of a long JSON answer say of it, as if it were the whole: its last usage, its model, and whether it is an
 * error. Null where it says no usage.
 */
export function readEnds(head: string, tail: string): Record<string, unknown> | null {
  const last = [...tail.matchAll(usages)].at(-1);
  const usage = last && readJson(objectAt(tail, last.index + last[0].length - 1));
  if (!usage) return null;
  const [, model = null] = [...head.matchAll(models)][0] ?? [...tail.matchAll(models)].at(-1) ?? [];
  return { [last[1] ?? "usage"]: usage, model, modelVersion: model, ...(fails.test(head) && { error: {} }) };
}

/** Returns the text of the object that begins at a place. Figures have no braces in their names. */
function objectAt(text: string, from: number): string {
  let open = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "{") open += 1;
    else if (text[at] === "}") open -= 1;
    if (open === 0) return text.slice(from, at + 1);
  }
  return "";
}
