import { expect, test } from "vitest";
import { keepOwnSources } from "../../../runtime/node/own-source-map.mjs";

test("only the author's own lines are kept, behind as many lines of packages as there are", () => {
  // Line by line: 400,000 of a package, one of the author's, two of a package.
  const packages = ["AAAA", ...Array.from({ length: 399_999 }, () => "AACA")];
  const mappings = [...packages, "ACAA", "ADAA", "AACA"].join(";");
  const sources = ["node_modules/big/index.js", "agent.ts"];
  const kept = JSON.parse(keepOwnSources(JSON.stringify({ version: 3, sources, names: [], mappings }))) as {
    sources: string[];
    mappings: string;
  };
  expect(kept.sources).toEqual(["agent.ts"]);
  expect([kept.mappings.lastIndexOf(";") + 1, kept.mappings.replaceAll(";", "")]).toEqual([
    400_000,
    expect.stringMatching(/^AA/),
  ]);
});
