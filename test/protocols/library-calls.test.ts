import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The public calls of a class in a library's type declarations. */
function callsOf(file: string, name: string): string[] {
  const text = readFileSync(new URL(`../../node_modules/${file}`, import.meta.url), "utf8");
  const start = text.search(new RegExp(`(?:declare|export) (?:declare )?class ${name}\\b`));
  const body = text.slice(start, text.indexOf("\n}", start));
  const found = [...body.matchAll(/^ {4}(?:get )?(\w+)(?:<[^(]*>)?\(/gm)].map(([, call = ""]) => call);
  return [...new Set(found)].filter((call) => call !== "constructor" && call !== "protocolVersion");
}

/** The calls that a page's table of calls has in a column. */
function rowsOf(page: string, column: number): string[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const section = text.split("\n## ").find((part) => part.startsWith("The library's calls")) ?? "";
  return section.split("\n").flatMap((line) => /^`(\w+)`$/.exec(line.split("|")[column]?.trim() ?? "")?.[1] ?? []);
}

const client = "@modelcontextprotocol/sdk/dist/esm/client/index.d.ts";
const newest = "@a2a-js/sdk/dist/multitransport-client-Bq8elQ1W.d.ts";
const oldest = "a2a-sdk-0.3/dist/core-NwQicv77.d.ts";

test.for([
  ["docs/a2a.md of 1.3.0", callsOf(newest, "Client"), rowsOf("a2a.md", 1), 11],
  ["docs/a2a.md of 0.3.14", callsOf(oldest, "Client"), rowsOf("a2a.md", 2), 10],
  ["docs/mcp.md", callsOf(client, "Client"), rowsOf("mcp.md", 1), 20],
] as const)("%s says of every public call of the library what it does", ([, declared, listed, count]) => {
  expect(declared.length).toBe(count);
  expect([...listed].toSorted()).toEqual(declared.toSorted());
});
