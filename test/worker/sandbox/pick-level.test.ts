import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync, chmodSync, mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { findPython } from "../../../worker/sandbox/find-python.ts";
import type { Python } from "../../../worker/sandbox/sandbox.ts";
import { openSandbox } from "../../../worker/sandbox/pick-level.ts";
import { bwrapPath, loopbackEgress, openLevels, searchPath } from "./open-levels.ts";

let python: Python;
let scratch: string;
beforeAll(async () => {
  python = await findPython(undefined, searchPath);
  scratch = mkdtempSync(join(tmpdir(), "pick-level-"));
});
afterAll(() => rm(scratch, { recursive: true }));

const options = (changes = {}) => {
  const log = { info: vi.fn(), warn: vi.fn() };
  return { minLevel: 0, bwrap: bwrapPath(), searchPath, python, egress: loopbackEgress(), log, ...changes };
};

test("the strongest level that this machine has is the one that is taken", async () => {
  const machine = await openLevels();
  const sandbox = await openSandbox(options());
  expect(sandbox.report).toEqual(machine.levels[0]?.report);
  await sandbox.close();
  await machine.close();
});

test("without bubblewrap a weaker level is taken, and a warning says what is missing", async () => {
  const given = options({ bwrap: join(scratch, "none"), searchPath: "" });
  const sandbox = await openSandbox(given);
  expect(sandbox.report.level).toBeLessThan(2);
  // Within a field of its own: `level` is what each line of a log has already.
  expect(given.log.warn).toHaveBeenCalledWith(
    expect.objectContaining({
      sandbox: sandbox.report,
      missing: expect.arrayContaining([expect.stringContaining("bubblewrap")]),
    }),
    expect.any(String),
  );
  await sandbox.close();
});

test("what is taken says by itself why nothing stronger is", async () => {
  const sandbox = await openSandbox(options({ bwrap: join(scratch, "none"), searchPath: "" }));
  expect(sandbox.missing).toContain("ns: bubblewrap is not installed");
  await sandbox.close();
});

test("a bubblewrap that does nothing is caught by the canaries", async () => {
  const fake = join(scratch, "bwrap");
  writeFileSync(fake, "#!/bin/sh\nexit 0\n");
  chmodSync(fake, 0o755);
  const given = options({ bwrap: fake });
  const sandbox = await openSandbox(given);
  expect(sandbox.report.level).toBeLessThan(2);
  await sandbox.close();
});

test("below the least level the worker gets one error that names the reasons", async () => {
  const given = options({ bwrap: join(scratch, "none"), searchPath: "", minLevel: 2 });
  await expect(openSandbox(given)).rejects.toThrow(
    /level 2 or above.*bubblewrap is not installed.*SANDBOX_MIN_LEVEL=1/,
  );
});

test("bubblewrap may lie where the sandbox's user can't reach", async () => {
  const path = bwrapPath();
  if (!path || process.getuid?.() !== 0) return;
  const closed = join(scratch, "closed");
  mkdirSync(closed, { mode: 0o700 });
  const copy = spawn("cp", [path, join(closed, "bwrap")]);
  await new Promise((resolve) => copy.once("exit", resolve));
  const sandbox = await openSandbox(options({ bwrap: join(closed, "bwrap") }));
  expect(sandbox.report.level).toBeGreaterThanOrEqual(2);
  await sandbox.close();
});

test("a PYTHON that can't be used is one clear error", async () => {
  await expect(findPython("/nonexistent/python", searchPath)).rejects.toThrow(
    /^PYTHON=\/nonexistent\/python is no usable Python/,
  );
  await expect(findPython("/bin/true", searchPath)).rejects.toThrow(/PYTHON=/);
});

test.runIf(process.getuid?.() === 0)(
  "a Python below a closed directory is passed over for one that the sandbox's user reaches",
  async () => {
    const closed = join(scratch, "shims");
    mkdirSync(closed, { mode: 0o700 });
    writeFileSync(join(closed, "python3"), `#!/bin/sh\nexec ${python.path} "$@"\n`);
    chmodSync(join(closed, "python3"), 0o755);
    expect((await findPython(undefined, `${closed}:/usr/bin`)).path).toBe(python.path);
  },
);
