import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

/** The budgets that the linter can't hold. Its own (a file's and a function's maximum, parameters, depth) are in .oxlintrc.json. */
const root = join(import.meta.dirname, "../..");
const files = await sourceFiles(root, ["shared", "api", "worker", "gateway", "dev", "prisma"]);

/** These join parts, so they import many; all others import few. */
const assemblies = ["main.ts", "app.ts", "context.ts", "fleet-member.ts", "execute-run.ts"];
/** One line for each operation of an area, however many there are. */
const tableOfContents = "operations.ts";

test("half of the files are at most 80 lines long, nine of ten at most 200", () => {
  const lengths = files.map(({ text }) => text.split("\n").length - 1).sort((a, b) => a - b);
  expect(lengths.length).toBeGreaterThan(0);
  expect(quantile(lengths, 0.5)).toBeLessThanOrEqual(80);
  expect(quantile(lengths, 0.9)).toBeLessThanOrEqual(200);
});

test("a file imports at most 12 of ours, one that assembles at most 30", () => {
  const over = files.filter(({ path, text }) => {
    const budget = assemblies.includes(basename(path)) ? 30 : 12;
    return basename(path) !== tableOfContents && count(text, /^(import|\}) .*"\.\.?\//gm) > budget;
  });
  expect(over.map(({ path }) => path)).toEqual([]);
});

test("a file exports at most 6 names, schemas aside", () => {
  const over = files.filter(
    ({ path, text }) =>
      !path.startsWith("shared/schemas/") &&
      count(text, /^export (type|interface|const|class|abstract|async|function)\b/gm) > 6,
  );
  expect(over.map(({ path }) => path)).toEqual([]);
});

test("no module holds state: no `let` outside a function", () => {
  expect(files.filter(({ text }) => /^(export )?let /m.test(text)).map(({ path }) => path)).toEqual([]);
});

test("no barrels: a name is imported from the file that makes it", () => {
  expect(files.filter(({ text }) => /^export [^;=(]*\bfrom "/m.test(text)).map(({ path }) => path)).toEqual([]);
});

test("a file is named for what it answers", () => {
  const vague = /(^|\/)(utils?|helpers?|common|misc|managers?|services?|handlers?|index)(\/|\.ts$)/;
  expect(files.map(({ path }) => path).filter((path) => vague.test(path))).toEqual([]);
});

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

function count(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}
