import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { z } from "zod";
import { findPython } from "../../worker/sandbox/find-python.ts";

/** The unit tests of runtime/python are Python's own (unittest). Each is reported here as a test. */
const folder = join(import.meta.dirname, "python");
const report = z.object({
  id: z.string(),
  title: z.string(),
  fault: z.string().nullable(),
  skipped: z.string().nullable(),
});

const { reports, complaint } = await runTests();

for (const { id, title, fault, skipped } of reports)
  test(`${title} (${id})`, (context) => {
    if (skipped !== null) context.skip(skipped);
    expect(fault).toBeNull();
  });

test("every file of Python's tests was run, and said nothing else", () => {
  const files = readdirSync(folder).filter((name) => /^test_.*\.py$/.test(name));
  const ran = new Set(reports.map(({ id }) => `${id.split(".")[0]}.py`));
  expect(files.filter((name) => !ran.has(name))).toEqual([]);
  expect(files.length).toBeGreaterThan(0);
  expect(complaint).toBe("");
});

async function runTests(): Promise<{ reports: z.infer<typeof report>[]; complaint: string }> {
  const { path } = await findPython(process.env["PYTHON"], process.env["PATH"] ?? "");
  const child = spawn(path, ["-I", "-B", join(folder, "run.py")], { stdio: ["ignore", "pipe", "pipe"] });
  const [output, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const lines = output.split("\n").filter((line) => line !== "");
  return { reports: lines.map((line) => report.parse(JSON.parse(line))), complaint: stderr };
}
