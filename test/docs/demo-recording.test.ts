import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drawTerminal } from "../../dev/draw-terminal.ts";
import { root } from "./read-documents.ts";

const drawing = { title: "a program", columns: 10, rows: 4, slowdown: 2, longestPauseMs: 500 };
const linesOf = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]* textLength="[^"]+"[^>]*>(.*?)<\/text>/g)].map(([, text = ""]) =>
    text
      .replaceAll(/<\/?tspan[^>]*>/g, "")
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );

test("a recording has what the program wrote, broken as a terminal breaks it, and nothing else", () => {
  const written = [
    { at_ms: 0, text: '$ run <it> & "so"\n' },
    { at_ms: 100, text: "wor" },
    { at_ms: 200, text: "ds\n\nmore" },
  ];
  expect(linesOf(drawTerminal(written, drawing))).toEqual(["$ run <it>", ' & "so"', "words", "more"]);
});

test("a recording keeps the pace: slowed down, long pauses cut, the last picture held for 6 s", () => {
  const svg = drawTerminal(
    [100, 10_000].map((at_ms) => ({ at_ms, text: `${at_ms}\n` })),
    drawing,
  );
  // (100 + 500) * 2 + 6,000 ms.
  expect(svg).toContain("animation:show 7.20s");
  expect(svg).toContain("2.78%{transform:translateY(18px)}16.67%{transform:translateY(36px)}");
});

test("the README's recording is small, has both colour schemes, and shows a whole run of the demo", () => {
  const svg = readFileSync(join(root, "docs/demo.svg"), "utf8");
  expect(svg.length).toBeLessThan(40_000);
  expect(svg).toContain("prefers-color-scheme:dark");
  const lines = linesOf(svg);
  expect(lines[0]).toBe("$ npm run demo");
  expect(lines).toContain("event: run.started");
  expect(lines).toContain("event: run.success");
  expect(lines.at(-1)).toBe("Ctrl-C ends everything.");
});
