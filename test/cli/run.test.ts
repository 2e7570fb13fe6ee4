import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

test("two attached files of one name are refused: the run would get one of them", () => {
  const folder = mkdtempSync("/var/tmp/runfleet-attach-");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const below of ["a", "b"]) {
    mkdirSync(join(folder, below));
    writeFileSync(join(folder, below, "x.txt"), below);
  }
  const program = join(import.meta.dirname, "../../dist/cli/main.js");
  const env = { PATH: process.env["PATH"], HOME: folder, RUNFLEET_URL: "http://127.0.0.1:9" };
  const attached = ["--attach", "a/x.txt", "--attach", "b/x.txt"];
  const { status, stderr } = spawnSync(process.execPath, [program, "run", "agent", ...attached], { cwd: folder, env });
  expect([status, stderr.toString()]).toEqual([2, expect.stringContaining("Two attached files are named x.txt")]);
});
