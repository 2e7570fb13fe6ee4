import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const resources = "node_modules/openai/resources";

/** The calls of OpenAI's library by the file of their resource, from its own declarations. */
function openaiCalls(): Map<string, string[]> {
  const files = readdirSync(resources, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".d.ts"));
  return new Map(files.sort().map((file) => [file.replace(/\.d\.ts$/, ""), methodsIn(join(resources, file))]));
}

function methodsIn(file: string): string[] {
  const classes = readFileSync(file, "utf8").matchAll(/export declare class \w+ extends [\w.]+ \{(.*?)\n\}/gs);
  return [...classes].flatMap(([, body = ""]) => {
    const names = [...body.matchAll(/^ {4}(\w+)[<(]/gm)].map(([, name = ""]) => name);
    return [...new Set(names)].filter((name) => name !== "constructor");
  });
}

test("docs/openai.md counts every call of the library, in the rows that work and in those that do not", () => {
  const calls = openaiCalls();
  const all = [...calls.values()].flat().length;
  const page = readFileSync("docs/openai.md", "utf8");
  const [, works = "", refused = ""] = /## Calls(.*?)All others(.*)/s.exec(page) ?? [];
  const countsIn = (text: string) => [...text.matchAll(/^\|[^|]+\| (\d+) \|/gm)].map(([, count]) => Number(count));
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  expect(Number(/Of the (\d+) calls/.exec(page)?.[1])).toBe(all);
  expect(sum(countsIn(works)) + sum(countsIn(refused))).toBe(all);
  expect(calls.get("responses/responses")).toEqual([
    "create",
    "retrieve",
    "delete",
    "parse",
    "stream",
    "cancel",
    "compact",
  ]);
});
