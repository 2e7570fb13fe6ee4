import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines } from "../../../console/ui/line-diff.ts";

test("a change is a line removed and a line added, with their numbers", () => {
  expect(diffLines("a\nb\nc", "a\nB\nc\nd")).toEqual([
    { kind: "same", text: "a", old: 1, new: 1 },
    { kind: "removed", text: "b", old: 2, new: null },
    { kind: "added", text: "B", old: null, new: 2 },
    { kind: "same", text: "c", old: 3, new: 3 },
    { kind: "added", text: "d", old: null, new: 4 },
  ]);
});

test("of any two texts, what is not added is the first one and what is not removed the second", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const without = (kind: string): string =>
        lines.flatMap((line) => (line.kind === kind ? [] : [line.text])).join("\n");
      expect(without("added")).toBe(before);
      expect(without("removed")).toBe(after);
    }),
  );
});

test("texts that are too long to compare are shown as removed and added, at once", () => {
  const many = (name: string): string => Array.from({ length: 5_000 }, (_, at) => `${name} ${at}`).join("\n");
  const lines = diffLines(many("a"), many("b"));
  expect(lines.filter(({ kind }) => kind === "removed")).toHaveLength(5_000);
  expect(lines.filter(({ kind }) => kind === "added")).toHaveLength(5_000);
});
