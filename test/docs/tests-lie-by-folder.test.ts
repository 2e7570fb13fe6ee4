import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";

const named = new Set(
  [...readFileSync("CONTRIBUTING.md", "utf8").matchAll(/`test\/(\w+)\/`/g)].map(([, name]) => name),
);

test("a test lies in the folder of the name that it tests, or in one of those that CONTRIBUTING explains", () => {
  const files = readdirSync("test", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"));
  const folders = files.map(dirname);
  expect(folders.length).toBeGreaterThan(100);
  const strays = folders.filter((folder) => !existsSync(folder) && !named.has(folder.split("/")[0]));
  expect([...new Set(strays)]).toEqual([]);
});
