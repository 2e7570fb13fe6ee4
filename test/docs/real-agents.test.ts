import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const rows = readFileSync(join(root, "docs/real-agents.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

test("each thing that real agents may rely on names a test that is there", () => {
  expect(rows.map(([, number]) => Number(number))).toEqual(rows.map((_, at) => at + 1));
  expect(rows.length).toBeGreaterThanOrEqual(42);
  const missing = rows.filter(
    ([, , , file = "", title = ""]) => !readFileSync(join(root, file.replaceAll("`", "")), "utf8").includes(title),
  );
  expect(missing.map(([, number, , , title]) => `${number}: ${title}`)).toEqual([]);
});
