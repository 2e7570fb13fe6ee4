import { createReplacer } from "./replace-texts.ts";

const redacted = "[redacted]";
/** Shorter values ("true", "8080") are common text: replacing them would spoil the output and hide nothing. */
const shortest = 6;
/** Fields of a frame that hold Runfleet's own words, which must stay even if a secret has the same text. */
const structural = new Set(["type", "stream", "call_id"]);

export type Redactor = {
  text: (s: string) => string;
  /** Redacts every string of a JSON value, keys included. Without secrets, returns the value itself. */
  deep: <T>(value: T) => T;
  /** Redacts a frame's values. Its own keys and its structural fields stay. */
  frame: <T extends { type: string }>(frame: T) => T;
};

/** Replaces each secret value of at least 6 characters with `[redacted]`, the longest first. Its time grows with the text alone. */
export function createRedactor(secrets: string[]): Redactor {
  const values = secrets.filter((value) => value.length >= shortest);
  if (values.length === 0) return { text: (s) => s, deep: (value) => value, frame: (value) => value };

  const text = createReplacer(values, redacted);
  const deep = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(deep);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), deep(item)]));
  };
  const field = ([key, item]: [string, unknown]) => [key, structural.has(key) ? item : deep(item)];
  return {
    text,
    deep: <T>(value: T): T => deep(value) as T,
    frame: <T extends { type: string }>(frame: T): T => Object.fromEntries(Object.entries(frame).map(field)) as T,
  };
}
