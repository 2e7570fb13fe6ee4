import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readEnv } from "../../shared/platform/config/env.ts";
import { unpackDebianPackage } from "../../dev/debian-package.ts";
import { findProgram } from "../../dev/find-program.ts";
import { isReachable } from "../../dev/reachable.ts";

const path = readEnv()["PATH"] ?? "";
const onDebian = findProgram(["apt-get"], path) !== null;
const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };
let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "runfleet-test-"));
  chmodSync(dir, 0o755);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

test.runIf(onDebian)(
  "callers at the same time fill an empty cache once, with a program that every user can run",
  async () => {
    const cache = join(dir, "cache");
    const found = await Promise.all([1, 2, 3].map(() => unpackDebianPackage("bubblewrap", cache)));
    expect(new Set(found).size).toBe(1);
    expect(readdirSync(cache)).toEqual([`bubblewrap-${process.arch}`]);
    const bwrap = join(String(found[0]), "usr/bin/bwrap");
    const user = process.getuid?.() === 0 ? nobody : {};
    expect(execFileSync(bwrap, ["--version"], { ...user, encoding: "utf8" })).toMatch(/^bubblewrap \d/);
  },
);

test.runIf(onDebian)("a package that doesn't exist is an error, and leaves nothing in the cache", async () => {
  const aptConfig = join(dir, "apt.conf");
  // New lists are asked for, from nowhere.
  writeFileSync(aptConfig, 'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "/dev/null";\n');
  vi.stubEnv("APT_CONFIG", aptConfig);
  const cache = join(dir, "cache");
  await expect(unpackDebianPackage("runfleet-no-such-package", cache)).rejects.toThrow("apt can't get the package");
  expect(readdirSync(cache)).toEqual([]);
});

test.runIf(onDebian && isRoot && isReachable(import.meta.dirname))(
  "a user without any right, on a machine without package lists, gets the package too",
  () => {
    const lists = join(dir, "no-lists");
    mkdirSync(lists);
    const aptConfig = join(dir, "apt.conf");
    writeFileSync(aptConfig, `Dir::State::lists "${lists}";\n`);
    const cache = join(dir, "cache");
    mkdirSync(cache);
    execFileSync("chown", ["65534:65534", cache]);
    const module = join(import.meta.dirname, "../../dist/dev/debian-package.js");
    const program = `
    const { unpackDebianPackage } = await import(${JSON.stringify(module)});
    process.stdout.write(await unpackDebianPackage("bubblewrap", ${JSON.stringify(cache)}));
  `;
    const unpacked = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      ...nobody,
      cwd: dir,
      env: { PATH: path, APT_CONFIG: aptConfig },
      encoding: "utf8",
    });
    expect(statSync(join(unpacked, "usr/bin/bwrap")).uid).toBe(nobody.uid);
  },
);
