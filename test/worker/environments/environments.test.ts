import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Environments } from "../../../worker/environments/environments.ts";
import { keyPattern, partsOf } from "../../../worker/environments/layout.ts";
import { isHeld } from "../../../worker/environments/leases.ts";
import type { RunningInstall } from "../../../worker/environments/share-install.ts";
import { ownerTag } from "../../../worker/sandbox/owner-tag.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { environmentsIn, openLevels } from "../sandbox/open-levels.ts";
import { hasPip, openWheelIndex } from "../../../bench/packages/wheel-index.ts";

const MiB = 1024 * 1024;
const one = (name: string): Record<string, string | number> => ({ [`${name}/__init__.py`]: "", [`${name}/data`]: MiB });
const index = await openWheelIndex({
  small: { "small/__init__.py": "" },
  alpha: one("alpha"),
  beta: one("beta"),
  gamma: one("gamma"),
  bomb: { "bomb/data": 40 * MiB },
  flood: { "flood/data": 300 * MiB },
  offsite: { "offsite/__init__.py": "" },
});
const machine = await openLevels([index.host, index.host.replace("127.0.0.1", "localhost")]);
const [sandbox] = machine.levels;
if (!sandbox) throw new Error("no level at all");
const offline = { PIP_CONFIG_FILE: "/dev/null", PIP_NO_INDEX: "1", PIP_FIND_LINKS: index.folder };
const online = { PIP_CONFIG_FILE: "/dev/null", PIP_INDEX_URL: index.url };
const patient = new AbortController().signal;

let directory: string;
const opened: Environments[] = [];
function open(given: Partial<Parameters<typeof environmentsIn>[1]> = {}): Environments {
  const { python } = machine;
  const environments = environmentsIn(sandbox as (typeof machine.levels)[0], {
    python,
    directory,
    env: offline,
    ...given,
  });
  opened.push(environments);
  return environments;
}
beforeEach(async () => {
  directory = mkdtempSync("/var/tmp/runfleet-environments-");
  await chmod(directory, 0o755);
});
afterEach(async () => {
  for (const environments of opened.splice(0)) environments.close();
  await rm(directory, { recursive: true, force: true });
});
afterAll(async () => {
  await machine.close();
  await index.close();
});

const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

const unlocked = (name: string) => ({ requirements: [name], lock: null });
const start = (
  environments: Environments,
  requirement: string,
  { owner = "ada", signal = patient } = {},
): RunningInstall => environments.build({ packages: unlocked(requirement), owner, signal });
async function install(environments: Environments, requirement: string, given = {}): Promise<string> {
  const built = await start(environments, requirement, given).done;
  return "directory" in built ? built.directory : Promise.reject(new Error(built.fault));
}
const environmentNames = (): string[] => readdirSync(directory).filter((name) => keyPattern.test(name));
const drafts = (): string[] => readdirSync(directory).filter((name) => !keyPattern.test(name));
/** Lets an environment look unused for so many minutes. */
function age(packages: string, minutes: number): void {
  const then = Date.now() / 1000 - minutes * 60;
  utimesSync(partsOf(join(packages, "..")).used, then, then);
}

describe.runIf(hasPip(machine.python.path))("environments", () => {
  test("beyond their limit in all, the one that was used longest ago goes, and what was used just now stays", async () => {
    const environments = open({ maxBytes: 2.5 * MiB });
    const alpha = await install(environments, "alpha");
    const beta = await install(environments, "beta");
    age(alpha, 5);
    age(beta, 10);
    const gamma = await install(environments, "gamma");
    expect(environments.find(unlocked("beta"))).toBeNull();
    expect([environments.find(unlocked("alpha")), environments.find(unlocked("gamma"))]).toEqual([alpha, gamma]);
    age(alpha, 5);
    expect(open().find(unlocked("alpha"))).toBe(alpha);
    await expect(install(environments, "beta")).rejects.toThrow(/no room .* ENVIRONMENTS_MAX_BYTES/);
    expect(environmentNames()).toHaveLength(2);
    expect(drafts()).toEqual([]);
  });

  test.runIf(canMount)("make room on a disk that is smaller than their limit", async () => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m,mode=755", "none", directory]);
    try {
      const environments = open({ maxBytes: 1024 * MiB });
      age(await install(environments, "alpha"), 10);
      age(await install(environments, "beta"), 5);
      const gamma = await install(environments, "gamma");
      expect(environments.find(unlocked("gamma"))).toBe(gamma);
      expect(environments.find(unlocked("alpha"))).toBeNull();
      expect(drafts()).toEqual([]);
    } finally {
      execFileSync("umount", ["-l", directory]);
    }
  });

  test("that a sandbox shows stay, however long ago they were found, until that sandbox has ended", async () => {
    const environments = open({ maxBytes: 1.5 * MiB });
    const alpha = await install(environments, "alpha");
    const child = await environments.guard(sandbox).start({
      argv: [machine.python.path, "-I", "-S", "-c", "import sys; sys.stdin.read()"],
      env: {},
      readOnly: [alpha],
      resources: { memory_bytes: 64 * MiB, processes: 4, disk_bytes: MiB, cpu_ms: 10_000 },
    });
    age(alpha, 60);
    expect(await isHeld(join(alpha, ".."))).toBe(true);
    // Another worker on the machine.
    await expect(install(open({ maxBytes: 1.5 * MiB }), "beta")).rejects.toThrow("no room");
    expect(readdirSync(join(alpha, "alpha"))).toContain("data");
    child.stdin.end();
    await child.exited;
    expect(await isHeld(join(alpha, ".."))).toBe(false);
    age(alpha, 60);
    await install(open({ maxBytes: 1.5 * MiB }), "beta");
    expect(environments.find(unlocked("alpha"))).toBeNull();
  });

  test("that a dead worker held, or left half made, are in nobody's way", async () => {
    const environments = open({ maxBytes: 1.5 * MiB });
    const alpha = await install(environments, "alpha");
    const dead = ownerTag().replace(/-\d+$/, "-1");
    await writeFile(join(alpha, "../leases", `${dead}-lease`), "");
    await mkdir(join(directory, `${dead}-draft`, "packages"), { recursive: true });
    age(alpha, 60);
    await install(environments, "beta");
    expect(environmentNames()).toHaveLength(1);
    expect(drafts()).toEqual([]);
  });

  test("are installed by two workers at once, of whom both get the same one", async () => {
    const both = await Promise.all([install(open(), "alpha"), install(open(), "alpha")]);
    expect(both[0]).toBe(both[1]);
    expect(environmentNames()).toHaveLength(1);
    expect(drafts()).toEqual([]);
  });

  test.each([
    ["more than one may have, found when it is read", "bomb", 20 * MiB],
    ["more than the sandbox's disk holds, found when it is unpacked", "flood", 8 * MiB],
  ])("may not take %s", async (_, name, eachMaxBytes) => {
    await expect(install(open({ eachMaxBytes }), name)).rejects.toThrow(String(eachMaxBytes));
    expect(readdirSync(directory)).toEqual([]);
  });

  test("are installed without a network in sight of the machine's certificates, which newer pips read when they start", async () => {
    const shown: string[] = [];
    const noting: typeof sandbox = {
      ...sandbox,
      start(command) {
        shown.push(...command.readOnly);
        return sandbox.start(command);
      },
    };
    const environments = environmentsIn(noting, { python: machine.python, directory, env: offline });
    opened.push(environments);
    await install(environments, "small");
    expect(shown).toContain("/etc/ssl/certs");
  });

  test("come over the network with a password that neither the log nor an error tells", async () => {
    index.demand("robot:s3cret-word");
    const withWord = (word: string) => ({
      env: { ...online, PIP_INDEX_URL: index.url.replace("//", `//robot:${word}@`) },
    });
    const right = start(open(withWord("s3cret-word")), "small");
    const [said, built] = await Promise.all([readAll(right.log), right.done]);
    expect(built).toHaveProperty("directory");
    const wrong = start(open(withWord("wr0ng-word")), "alpha");
    const [complaint, failed] = await Promise.all([readAll(wrong.log), wrong.done]);
    expect(failed).toHaveProperty("fault");
    expect(said + complaint + JSON.stringify(failed)).not.toMatch(/s3cret-word|wr0ng-word/);
    expect(said).toContain(index.host);
    const kept = environmentNames().map((name) => readFileSync(partsOf(join(directory, name)).about, "utf8"));
    expect(kept.join()).not.toContain("word");
    index.demand("");
  });
});

describe.runIf(hasPip(machine.python.path))("a lock", () => {
  const lockOf = async (environments: Environments, requirement: string): Promise<string> => {
    const locked = await environments.lock({
      requirements: [requirement],
      owner: "ada",
      signal: patient,
      onLine: () => undefined,
    });
    return "lock" in locked ? locked.lock : Promise.reject(new Error(locked.fault));
  };
  /** Another worker, which has installed nothing yet. */
  async function onAnother(requirement: string, lock: string) {
    const other = join(directory, "other");
    await mkdir(other, { mode: 0o755, recursive: true });
    const environments = open({ directory: other });
    const packages = { requirements: [requirement], lock };
    const built = await environments.build({ packages, owner: "bo", signal: patient }).done;
    return { built, left: readdirSync(other), found: environments.find(packages) };
  }

  test("names versions and hashes, and every worker installs just these, whatever the index has since", async () => {
    index.add({ "moving@1.0.0": { "moving/__init__.py": "'one'" } });
    const environments = open();
    const lock = await lockOf(environments, "moving");
    expect(lock).toMatch(/^# Python 3\.\S+, linux \w+\nmoving==1\.0\.0 --hash=sha256:[0-9a-f]{64}\n$/);
    // The worker that locked has them installed.
    expect(environments.find({ requirements: ["moving"], lock })).toContain(directory);
    index.add({ "moving@2.0.0": { "moving/__init__.py": "'two'" } });
    const { built } = await onAnother("moving", lock);
    expect("directory" in built && readFileSync(join(built.directory, "moving/__init__.py"), "utf8")).toBe("'one'");
    expect(await lockOf(environments, "moving")).toContain("moving==2.0.0");
  });

  test("refuses a file that the index has changed, and leaves nothing behind", async () => {
    index.add({ "changed@1.0.0": { "changed/__init__.py": "'one'" } });
    const lock = await lockOf(open(), "changed");
    index.add({ "changed@1.0.0": { "changed/__init__.py": "'other'" } });
    const { built, left, found } = await onAnother("changed", lock);
    expect(built).toMatchObject({
      fault: expect.stringMatching(/^The version's locked packages can't be had[\s\S]*DO NOT MATCH THE HASHES/),
    });
    expect([left, found]).toEqual([[], null]);
  });

  test("of nothing that this machine needs installs nothing", async () => {
    const environments = open();
    const lock = await lockOf(environments, 'small; python_version < "3"');
    expect(lock).toMatch(/^# Python \S+, linux \w+\n$/);
    const { built } = await onAnother('small; python_version < "3"', lock);
    expect("directory" in built && readdirSync(built.directory)).toEqual([]);
  });

  test.runIf(sandbox.hasEgress)("isn't made of an index that lies of a file's hash", async () => {
    index.add({ lying: { "lying/__init__.py": "" } });
    await expect(lockOf(open({ env: online }), "lying")).rejects.toThrow("DO NOT MATCH THE HASHES");
    expect(readdirSync(directory)).toEqual([]);
  });
});

/** What an install says, as one text. */
async function readAll(log: AsyncIterable<string>): Promise<string> {
  const lines: string[] = [];
  for await (const line of log) lines.push(line);
  return lines.join("\n");
}

function stoppable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

describe.runIf(hasPip(machine.python.path) && sandbox.hasEgress)("an install", () => {
  test("that an index keeps waiting keeps no other owner waiting, only its own owner's next ones", async () => {
    const environments = open({ env: online });
    const { signal, abort } = stoppable();
    const slow = ["slow-a", "slow-b", "slow-c"].map((name) => start(environments, name, { owner: "mallory", signal }));
    await waitFor(() => index.asked.includes("/simple/slow-a/"));
    await install(environments, "small", { owner: "ada" });
    expect(index.asked.filter((path) => path.startsWith("/simple/slow"))).toEqual(["/simple/slow-a/"]);
    abort();
    for (const { done } of slow) expect(await done).toMatchObject({ fault: expect.stringContaining("stopped") });
  });

  test("that an index keeps waiting ends at its deadline, and says so", async () => {
    const environments = open({ env: online, deadlineMs: 2_000 });
    await expect(install(environments, "slow-e")).rejects.toThrow("did not end within 2 s");
    expect(readdirSync(directory)).toEqual([]);
  });

  test("ends when nobody waits for it any more, and not before; who waits for it to the end pays for it", async () => {
    const environments = open({ env: online });
    const [first, second] = [stoppable(), stoppable()];
    const builds = [first, second].map(({ signal }) => start(environments, "slow-d", { signal }));
    await waitFor(() => index.asked.includes("/simple/slow-d/"));
    first.abort();
    expect(await builds[0]?.done).toMatchObject({ cpu_ms: 0, fault: expect.stringContaining("stopped") });
    second.abort();
    const ended = await builds[1]?.done;
    if (sandbox.report.level === 3) expect(ended?.cpu_ms).toBeGreaterThan(0);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("that failed isn't tried again at once", async () => {
    const environments = open({ env: online });
    await expect(install(environments, "missing")).rejects.toThrow("missing");
    const asked = index.asked.length;
    await expect(install(environments, "Missing")).rejects.toThrow(/failed a moment ago/);
    expect(index.asked).toHaveLength(asked);
  });

  test("reaches no other host than the index, not even for a file that the index names", async () => {
    await expect(install(open({ env: online }), "offsite")).rejects.toThrow(/403|localhost/);
    expect(index.asked.filter((path) => path.includes("offsite"))).toEqual(["/simple/offsite/"]);
    await install(open({ env: online, packageHosts: [index.host.replace("127.0.0.1", "localhost")] }), "offsite");
    expect(index.asked).toContain("/files/offsite-1.2.0-py3-none-any.whl");
  });
});
