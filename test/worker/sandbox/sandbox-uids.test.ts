import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { ownerTag } from "../../../worker/sandbox/owner-tag.ts";
import {
  firstUidOf,
  openSandboxUids,
  pairOffset,
  probeUid,
  sandboxUidBounds,
} from "../../../worker/sandbox/sandbox-uids.ts";

const everyUid = "         0          0 4294967295\n";
const containers = "         0     100000      65536\n";
const scratch = mkdtempSync(join(tmpdir(), "uids-"));
afterAll(() => rm(scratch, { recursive: true }));

test("pairs lie beyond the uids of users, services, dynamic users and containers", () => {
  const first = firstUidOf(everyUid);
  expect(first).toBeGreaterThan(65_535);
  expect(first + 2 * pairOffset).toBeLessThan(100_000);
});

test("in a user namespace of 65536 uids the pairs are mapped ones", () => {
  const first = firstUidOf(containers);
  expect(first).toBe(sandboxUidBounds.first);
  expect(first + 2 * pairOffset).toBeLessThan(65_520);
  expect(probeUid).toBeLessThan(first);
});

const take = `
import { openSandboxUids } from "./dist/worker/sandbox/sandbox-uids.js";
const uids = openSandboxUids(process.argv[1]);
const taken = [];
for (let i = 0; i < 1_500; i += 1) taken.push(await uids.take());
console.log(JSON.stringify(taken));
if (process.argv[2] === "leave") uids.close();`;

describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("as root", () => {
  test("two workers never have the same uid, not even in two network namespaces", async () => {
    const directory = join(scratch, "netns");
    const mine = openSandboxUids(directory);
    const held = new Set<number | undefined>();
    for (let count = 0; count < 500; count += 1) held.add(await mine?.take());
    const argv = ["--net", process.execPath, "--input-type=module", "-e", take, directory, "leave"];
    const { stdout } = await promisify(execFile)("unshare", argv, { maxBuffer: 1 << 22 });
    const theirs = JSON.parse(stdout) as number[];
    expect(new Set(theirs).size).toBe(1_500);
    expect(theirs.filter((uid) => held.has(uid))).toEqual([]);
    expect(readdirSync(directory)).toHaveLength(500);
    mine?.close();
    expect(readdirSync(directory)).toEqual([]);
  });

  test("what a killed worker held is free again before all is in use; what others hold is not", async () => {
    const directory = join(scratch, "stale");
    await promisify(execFile)(process.execPath, ["--input-type=module", "-e", take, directory], { maxBuffer: 1 << 22 });
    expect(readdirSync(directory)).toHaveLength(1_500);
    // Of another pid namespace: nobody here can tell whether that worker lives.
    const used = new Set(readdirSync(directory));
    const every = Array.from({ length: pairOffset }, (_, index) => firstUidOf(everyUid) + index);
    const foreign = every.find((uid) => !used.has(String(uid)));
    symlinkSync("runfleet-1-2-3", join(directory, String(foreign)));
    const uids = openSandboxUids(directory);
    const taken = new Set<number | undefined>();
    for (let count = 0; count < pairOffset - 1; count += 1) taken.add(await uids?.take());
    expect(taken.size).toBe(pairOffset - 1);
    expect(taken.has(foreign)).toBe(false);
    await expect(uids?.take()).rejects.toThrow(/are in use/);
    uids?.close();
  });

  test("a pair that is given back is the next one taken", async () => {
    const uids = openSandboxUids(join(scratch, "again"));
    const uid = (await uids?.take()) ?? 0;
    uids?.release(uid);
    expect(await uids?.take()).toBe(uid);
    expect(readdirSync(join(scratch, "again"))).toEqual([String(uid)]);
    expect(ownerTag()).toMatch(/^runfleet-\d+-\d+-\d+$/);
    uids?.close();
  });
});
