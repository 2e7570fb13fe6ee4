const redacted = "[redacted]";
/** Shorter values ("true", "8080") are everyday text: replacing them would spoil the output and hide nothing. */
const shortest = 6;
/** Of a frame: words of ours, which a secret may happen to be as well. */
const structural = new Set(["type", "stream", "call_id"]);

export type Redactor = {
  text: (s: string) => string;
  /** The same in every string of a JSON value, keys as well. With no secrets it gives the value itself. */
  deep: <T>(value: T) => T;
  /** The same in what a frame holds; its own keys stay, and what tells what it is. */
  frame: <T extends { type: string }>(frame: T) => T;
};

/** Replaces each secret value of at least 6 characters with `[redacted]`, the longest first. */
export function createRedactor(secrets: string[]): Redactor {
  const values = [...new Set(secrets)]
    .filter((value) => value.length >= shortest)
    .toSorted((a, b) => b.length - a.length);
  if (values.length === 0) return { text: (s) => s, deep: (value) => value, frame: (value) => value };

  const pattern = new RegExp(values.map((value) => value.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "g");
  const text = (s: string): string => s.replaceAll(pattern, redacted);
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
