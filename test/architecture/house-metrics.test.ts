import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

/** What the linter can't hold. How long files are is a report (`npm run metrics`), no rule: a file is as long as its subject. */
const root = join(import.meta.dirname, "../..");
const files = await sourceFiles(root, ["shared", "api", "worker", "gateway", "dev", "prisma"]);

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
  // The one exception has its definition in ARCHITECTURE.md: acts that the API and the worker both perform.
  const named = files.map(({ path }) => path.replace(/^shared\/services\//, "shared/"));
  expect(named.filter((path) => vague.test(path))).toEqual([]);
});

function count(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}
