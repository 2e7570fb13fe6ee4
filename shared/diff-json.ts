import type { Change } from "./schemas/version.ts";

type Path = (string | number)[];

const isTree = (value: unknown): value is Record<string, unknown> | unknown[] =>
  typeof value === "object" && value !== null;

/** What leads from one JSON value to another, at the deepest places that tell it; in the order of keys. */
export function diffJson(before: unknown, after: unknown, path: Path = []): Change[] {
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after))
    return before === after ? [] : [{ path, op: "changed", before, after }];
  const [old, fresh] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = [...new Set([...old.keys(), ...fresh.keys()])];
  return keys.flatMap((key): Change[] => {
    const at = [...path, Array.isArray(before) ? Number(key) : key];
    if (!fresh.has(key)) return [{ path: at, op: "removed", before: old.get(key), after: null }];
    if (!old.has(key)) return [{ path: at, op: "added", before: null, after: fresh.get(key) }];
    return diffJson(old.get(key), fresh.get(key), at);
  });
}
