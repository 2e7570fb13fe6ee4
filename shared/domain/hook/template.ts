import { requestLimits } from "../run/request-limits.ts";
import { type HookDocument, pointerFault, valueAt } from "./delivery.ts";

/** A place in a template: a JSON pointer (RFC 6901) in braces. Its alternatives exclude each other, so it needs linear time. */
const placeholder = /\{(\/[^{}]*)\}/g;
const onlyPlaceholder = /^\{(\/[^{}]*)\}$/;

/** The most placeholders of a template. */
const mostPlaceholders = 100;

/** Returns why a template can't be used; null when it can. */
export function templateFault(template: unknown): string | null {
  const pointers = textsOf(template).flatMap((text) =>
    [...text.matchAll(placeholder)].map(([, pointer = ""]) => pointer),
  );
  if (pointers.length > mostPlaceholders) return `it has more than ${mostPlaceholders} placeholders`;
  for (const pointer of pointers) {
    const fault = pointerFault(pointer);
    if (fault !== null) return fault;
  }
  return null;
}

/** Returns the texts of a JSON value, without the names of members. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** The longest text that `fillText` makes, in characters: a longer one can't be an id, nor tell deliveries apart. */
export const mostFilled = requestLimits.input_bytes;

/**
 * Returns a text with its placeholders filled. Null: the delivery lacks one of them, or its value is null. Values are cut off where
 * they have `mostFilled` characters together.
 */
export function fillText(template: string, document: HookDocument): string | null {
  let lacks = false;
  let left: number = mostFilled;
  const text = template.replaceAll(placeholder, (_, pointer: string) => {
    const value = valueAt(document, pointer);
    lacks ||= value === undefined || value === null;
    if (lacks || left === 0) return "";
    const filled = textOf(value).slice(0, left);
    left -= filled.length;
    return filled;
  });
  return lacks ? null : text;
}

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

/** A filled template would be larger than its limit. */
export class TemplateTooLarge extends Error {}

/**
 * Returns a template with its placeholders filled. A text that is one placeholder becomes the value, of any type; a member
 * whose value the delivery lacks is left out. Within a longer text a missing value is empty. Throws TemplateTooLarge when
 * the values together have more than `most` bytes, before anything of that size is made.
 */
export function fillTemplate(template: unknown, document: HookDocument, most: number): unknown {
  let left = most;
  const take = (pointer: string): unknown => {
    const value = valueAt(document, pointer);
    left -= value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
    if (left < 0) throw new TemplateTooLarge(`The hook's map gives more than ${most} bytes.`);
    return value;
  };
  const fill = (part: unknown): unknown => {
    if (typeof part === "string") {
      const [, only] = onlyPlaceholder.exec(part) ?? [];
      return only === undefined
        ? part.replaceAll(placeholder, (_, pointer: string) => textOf(take(pointer)))
        : take(only);
    }
    if (Array.isArray(part)) return part.map((item) => fill(item) ?? null);
    if (typeof part !== "object" || part === null) return part;
    const members = Object.entries(part).map(([name, item]) => [name, fill(item)] as const);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  };
  return fill(template);
}
