import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { z } from "zod";
import { findPython } from "../../worker/sandbox/find-python.ts";

const report = z.object({
  id: z.string(),
  title: z.string(),
  fault: z.string().nullable(),
  skipped: z.string().nullable(),
});

/** Runs a folder's tests, which are Python's own (unittest), and reports each as a test. `paths`: where they import from. */
export async function reportUnittests(folder: string, paths: string[]): Promise<void> {
  const { path } = await findPython(process.env["PYTHON"], process.env["PATH"] ?? "");
  const runner = join(import.meta.dirname, "../runtime/python/run.py");
  const child = spawn(path, ["-I", "-B", runner, folder, ...paths], { stdio: ["ignore", "pipe", "pipe"] });
  const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const lines = output.split("\n").filter((line) => line !== "");
  const reports = lines.map((line) => report.parse(JSON.parse(line)));

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
}
