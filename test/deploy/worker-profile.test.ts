import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isReachable } from "../../dev/reachable.ts";
import { assembleFilter, type CallRule } from "../../worker/sandbox/seccomp.ts";
import { allowedCalls, judgedCalls, refusedCalls } from "../../worker/sandbox/allowed-syscalls.ts";
import { bwrapPath } from "../worker/sandbox/open-levels.ts";
import { py } from "../harness/py.ts";

type Entry = {
  names: string[];
  action: string;
  errnoRet?: number;
  args?: { index: number; value: number; op: string }[];
};
const profile = JSON.parse(readFileSync("deploy/seccomp-worker.json", "utf8")) as {
  defaultAction: string;
  defaultErrnoRet: number;
  syscalls: Entry[];
};
const allow = profile.syscalls.filter(({ action }) => action === "SCMP_ACT_ALLOW");
const namesOf = (entries: Entry[]) => new Set(entries.flatMap(({ names }) => names));
const plain = allowedCalls.flatMap(({ calls }) => calls);
const refused = refusedCalls.flatMap(({ calls }) => calls);

describe("the worker container's seccomp profile", () => {
  test("allows what a sandbox may call and what bubblewrap needs besides, and nothing more", () => {
    const bubblewraps = ["mount", "pivot_root", "sethostname", "umount2", "unshare"];
    const listed = [...plain, ...judgedCalls].map(({ name }) => name);
    expect([...namesOf(allow)].toSorted()).toEqual([...listed, ...bubblewraps].toSorted());
    const families = allow.filter(({ names }) => names.includes("socket")).map(({ args }) => args?.[0]);
    expect(families).toEqual([1, 2, 10, 16].map((value) => ({ index: 0, value, op: "SCMP_CMP_EQ" })));
  });

  test("refuses the rest: known calls with EPERM, others as not there", () => {
    expect(profile).toMatchObject({ defaultAction: "SCMP_ACT_ERRNO", defaultErrnoRet: 38 });
    const denied = namesOf(profile.syscalls.filter(({ action }) => action === "SCMP_ACT_ERRNO"));
    for (const { name } of refused) expect([name, namesOf(allow).has(name) !== denied.has(name)]).toEqual([name, true]);
  });
});

/** The profile as a filter. */
function compileProfile(): Buffer {
  const arch = process.arch === "arm64" ? "arm64" : "x64";
  const rules = [...plain, ...judgedCalls, ...refused].flatMap((call): CallRule[] => {
    const number = call[arch];
    const entries = allow.filter(({ names }) => names.includes(call.name));
    if (number === null) return [];
    if (entries.length === 0) return [{ number, conditions: "EPERM" }];
    const values = entries.flatMap(({ args }) => args?.map(({ value }) => value) ?? []);
    return [{ number, conditions: values.length > 0 ? [{ argument: 0, only: values }] : [] }];
  });
  return assembleFilter(arch === "x64" ? 0xc000003e : 0xc00000b7, rules);
}

const program = join(process.cwd(), "dist/test/worker/sandbox/prove-level.js");
const isRoot = process.getuid?.() === 0;
const bwrap = bwrapPath() ?? "/usr/bin/bwrap";
const canImitate = process.platform === "linux" && isRoot && isReachable(dirname(program)) && existsSync(bwrap);

/** The parts of /proc that Docker hides and write-protects by default. */
const mask = [
  "for f in kcore keys timer_list; do [ -e /proc/$f ] && mount --bind /dev/null /proc/$f; done",
  "for d in acpi scsi; do [ -e /proc/$d ] && mount -t tmpfs -o ro tmpfs /proc/$d; done",
  "for d in bus fs irq sys; do mount --bind /proc/$d /proc/$d && mount -o remount,bind,ro /proc/$d; done",
].join("\n");

const loadFilter = py`
  import ctypes, os, sys
  libc = ctypes.CDLL(None, use_errno=True)
  program = open(sys.argv[1], "rb").read()
  class Fprog(ctypes.Structure): _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]
  assert libc.prctl(22, 2, ctypes.byref(Fprog(len(program) // 8, program)), 0, 0) == 0, ctypes.get_errno()
  os.execv(sys.argv[2], sys.argv[2:])
`;

type Proof = { report: { level: number; name: string }; missing: string[] };
type Container = { isMasked: boolean; filter: string; minLevel?: number; user?: string; capabilities?: string };

/** What a worker proves as a container's user, in mount and pid namespaces of its own. No engine runs where tests do. */
async function prove({ isMasked, filter, minLevel = 0, user = "1000", capabilities }: Container) {
  const drop = [`--reuid ${user} --regid ${user} --clear-groups --no-new-privs`];
  drop.push(capabilities ? `--bounding-set=-all,${capabilities}` : "--bounding-set=-all --inh-caps=-all");
  const script = `set -e
mount -t proc proc /proc
${isMasked ? mask : ""}
exec setpriv ${drop.join(" ")} /usr/bin/python3 -I -S -c "$LOAD" ${filter} ${process.execPath} ${program} ${minLevel} ${bwrap}`;
  const unshare = ["--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "/bin/sh", "-c", script];
  const { stdout } = await promisify(execFile)("unshare", unshare, {
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LOAD: loadFilter },
  });
  return JSON.parse(stdout) as Partial<Proof> & { error?: string };
}

describe.runIf(canImitate)("a worker confined as a container of docker-compose.yml is", () => {
  const filter = `/var/tmp/runfleet-profile-${process.pid}`;
  beforeAll(() => writeFileSync(filter, compileProfile(), { mode: 0o644 }));
  afterAll(() => rm(filter));

  test("proves level 2 without any capability", async () => {
    const { report, missing, error } = await prove({ isMasked: false, filter, minLevel: 2 });
    expect(error).toBeUndefined();
    expect(report).toMatchObject({ level: 2, name: "ns" });
    expect(missing?.[0]).toMatch(/^ns\+cgroup: .*not writable/);
  });

  test("says what to set where /proc is masked, and does not start at the default level", async () => {
    const { error } = await prove({ isMasked: true, filter, minLevel: 1 });
    expect(error).toMatch(/No sandbox of level 1 or above/);
    expect(error).toMatch(/ns: it does not start: bwrap: Can't mount proc.*systempaths=unconfined/);
    expect(error).toMatch(/landlock: agents would run as the worker's own user/);
    expect(error).toMatch(/SANDBOX_MIN_LEVEL=0/);
  });

  test("as root with the three capabilities that change users proves level 1 where /proc is masked", async () => {
    const { report, error } = await prove({
      isMasked: true,
      filter,
      minLevel: 1,
      user: "0",
      capabilities: "+setuid,+setgid,+kill",
    });
    expect(error).toBeUndefined();
    expect(report).toMatchObject({ level: 1, name: "landlock" });
  });
});
