const redacted = "[redacted]";
/** Shorter values ("true", "8080") are everyday text: replacing them would spoil the output and hide nothing. */
const shortest = 6;

export type Redactor = {
  text: (s: string) => string;
  /** The same in every string of a JSON value; keys stay. With no secrets it gives the value itself. */
  deep: <T>(value: T) => T;
};

/** Replaces each secret value of at least 6 characters with `[redacted]`, the longest first. */
export function createRedactor(secrets: string[]): Redactor {
  const values = [...new Set(secrets)]
    .filter((value) => value.length >= shortest)
    .toSorted((a, b) => b.length - a.length);
  if (values.length === 0) return { text: (s) => s, deep: (value) => value };

  const pattern = new RegExp(values.map((value) => value.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "g");
  const text = (s: string): string => s.replaceAll(pattern, redacted);
  const deep = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(deep);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deep(item)]));
  };
  return { text, deep: <T>(value: T): T => deep(value) as T };
}
