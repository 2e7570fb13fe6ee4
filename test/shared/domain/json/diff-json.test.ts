import fc from "fast-check";
import { expect, test } from "vitest";
import { diffJson } from "../../../../shared/domain/json/diff-json.ts";

test("names the deepest place that tells two values apart", () => {
  const before = { same: { x: [1, 2] }, list: [1, { a: 1 }, 3], kind: [1], gone: null };
  const after = { same: { x: [1, 2] }, list: [1, { a: 2 }], kind: { 0: 1 }, fresh: false };
  expect(diffJson(before, after).changes).toEqual([
    { path: ["list", 1, "a"], op: "changed", before: 1, after: 2 },
    { path: ["list", 2], op: "removed", before: 3, after: null },
    { path: ["kind"], op: "changed", before: [1], after: { 0: 1 } },
    { path: ["gone"], op: "removed", before: null, after: null },
    { path: ["fresh"], op: "added", before: null, after: false },
  ]);
});

test("there is a difference exactly where the JSON differs", () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(diffJson(a, structuredClone(a))).toEqual({ changes: [], has_more: false });
      const plain = (json: unknown): unknown => JSON.parse(JSON.stringify(json));
      expect(diffJson(plain(a), plain(b)).changes.length === 0).toBe(sorted(plain(a)) === sorted(plain(b)));
    }),
  );
});

test("of configs that differ everywhere the first thousand changes are told, and what is compared is bounded", () => {
  const many = (value: number, count: number) => Array.from({ length: count }, () => value);
  const { changes, has_more } = diffJson({ x: many(0, 1_500_000) }, { x: many(1, 1_500_000) });
  expect([changes.length, has_more]).toEqual([1_000, true]);
  expect(diffJson(many(0, 1_000), many(1, 1_000))).toMatchObject({ has_more: false });
  // The same all over, but nobody looked to the end.
  expect(diffJson(many(0, 1_500_000), many(0, 1_500_000))).toEqual({ changes: [], has_more: true });
});

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
