import { expect, test, vi } from "vitest";
import { field, tableOf } from "../../cli/table.ts";
import { openTerminal } from "../../cli/terminal.ts";

const columns = [
  ["NAME", field("name")],
  ["NOTE", field("note")],
] as const;

test("a table has any number of rows", () => {
  const rows = Array.from({ length: 300_000 }, (_, at) => ({ name: `n${at}`, note: "x" }));
  const lines = tableOf(columns, rows, null);
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([300_001, "NAME     NOTE", "n299999  x"]);
});

test("columns stand below each other and end with the terminal, also for characters that are two columns wide, or none", () => {
  const rows = ["日本語のエージェント", "e\u0301te\u0301", "👩🏽🇫🇷", "plain"].map((name) => ({ name, note: "漢字漢字" }));
  expect(tableOf(columns, rows, 27)).toEqual([
    "NAME                  NOTE",
    "日本語のエージェント  漢字",
    `e\u0301te\u0301${" ".repeat(19)}漢字`,
    `👩🏽🇫🇷${" ".repeat(18)}漢字`,
    `plain${" ".repeat(17)}漢字`,
  ]);
  const long = tableOf(columns, [{ name: "漢".repeat(40), note: "x" }], null);
  expect(long[1]).toBe(`${"漢".repeat(29)}…   x`);
});

test("the status line is never wider than the terminal, so that it can be erased", () => {
  const { stderr } = process;
  const before = { isTTY: stderr.isTTY, columns: stderr.columns };
  const write = vi.spyOn(stderr, "write").mockReturnValue(true);
  try {
    Object.assign(stderr, { isTTY: true, columns: 10 });
    const terminal = openTerminal({ json: false, quiet: false });
    terminal.status("漢字漢字漢字");
    terminal.status(null);
    expect(write.mock.calls.map(([text]) => text)).toEqual(["漢字漢字", "\r\u001B[2K"]);
  } finally {
    write.mockRestore();
    Object.assign(stderr, before);
  }
});
