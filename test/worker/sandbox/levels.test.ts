import { readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createPythonAdapter } from "../../../worker/adapters/python/python-adapter.ts";
import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import { ownerTag } from "../../../worker/sandbox/owner-tag.ts";
import { runCanaries } from "../../../worker/sandbox/run-canaries.ts";
import type { Sandbox } from "../../../worker/sandbox/sandbox.ts";
import { sandboxUidBounds } from "../../../worker/sandbox/sandbox-uids.ts";
import { agentRequest, resources, runAgent } from "../adapters/run-agent.ts";
import { openLevels } from "./open-levels.ts";
import { runInside } from "./run-inside.ts";
import { markedProcesses, newMark } from "../../harness/marked-processes.ts";
import { quickest } from "../../harness/quickest.ts";
import { nodeStartMs } from "../../harness/time-limit.ts";
import { waitFor } from "../../harness/wait-for.ts";

const isRoot = process.getuid?.() === 0;
/** The name of the processes that are to be killed: once their parents are gone, nothing else tells whose they were. */
const fileMark = newMark();
const machine = await openLevels();
afterAll(() => machine.close());

type Claim = { sandbox: Sandbox; isolates: boolean; boundsTree: boolean; sharesUser: boolean };
const claims = machine.levels.map((sandbox): [string, Claim] => [
  `level ${sandbox.report.level}, ${sandbox.report.name}`,
  {
    sandbox,
    isolates: sandbox.report.level > 0,
    boundsTree: sandbox.report.level === 3,
    sharesUser: sandbox.report.level < 2 && !sandbox.report.layers.includes("uid"),
  },
]);

/** Processes with a sandbox uid of this machine (only root workers use them), as names. */
function sandboxedProcesses(): string[] {
  return readdirSync("/proc").filter(
    (pid) => /^\d+$/.test(pid) && ownerOf(pid) >= sandboxUidBounds.first && ownerOf(pid) <= sandboxUidBounds.last,
  );
}
function ownerOf(pid: string): number {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? 0;
}
/** Directories and cgroups that carry this process's name. */
function leftovers(): string[] {
  const groups = ["memory", "pids", "cpuacct"].flatMap((controller) => {
    const own = readFileSync("/proc/self/cgroup", "utf8")
      .split("\n")
      .find((line) => line.split(":")[1] === controller);
    return own ? [`/sys/fs/cgroup/${controller}${own.split(":")[2]}`] : [];
  });
  return [tmpdir(), ...groups].flatMap((directory) =>
    readdirSync(directory).filter((name) => name.startsWith(ownerTag())),
  );
}

describe.each(claims)("%s", (_, { sandbox, isolates, boundsTree, sharesUser }) => {
  let adapter: Awaited<ReturnType<typeof createPythonAdapter>>;
  beforeAll(async () => {
    adapter = await createPythonAdapter({
      sandbox,
      python: machine.python,
      environments: machine.environments,
      idle: createIdleCache(0),
    });
  });
  afterAll(() => adapter.close());
  const bomb = (kind: string, changes = {}, input = {}) =>
    runAgent(
      adapter,
      agentRequest("bombs", { input_payload: { bomb: kind, ...input }, resources: { ...resources, ...changes } }),
    );
  const allAreGone = () => waitFor(() => markedProcesses(fileMark).length === 0, 1_000);

  test("holds against the canaries", async () => {
    expect(await runCanaries(sandbox, machine.python)).toEqual([]);
  });

  test("a killed tree is gone within two starts of Node, with children that left its session and hold its pipes", async () => {
    const request = agentRequest("sleeper", { input_payload: { children: 10, mark: fileMark } });
    const timeOfEnd = async () => {
      const controller = new AbortController();
      let abortedAt = Number.NaN;
      for await (const frame of adapter.run(request, controller.signal)) {
        if (frame.type !== "output") continue;
        await waitFor(() => markedProcesses(fileMark).length > 10);
        abortedAt = performance.now();
        controller.abort();
      }
      const took = performance.now() - abortedAt;
      await allAreGone();
      return took;
    };
    const soon = 2 * nodeStartMs();
    expect(await quickest(soon, timeOfEnd)).toBeLessThan(soon);
  });

  test("a process that forks and exits in turns doesn't outrun the kill", async () => {
    const request = agentRequest("respawner", { input_payload: { mark: fileMark } });
    const { outputs, exit } = await runAgent(adapter, request, (frame) => frame.type === "output");
    expect(outputs[0]).toBe("ready");
    expect(exit).toMatchObject({ code: null, signal: "SIGKILL" });
    await allAreGone();
  });

  test("a memory bomb ends with the memory limit, and what it had said stays", async () => {
    const { exit, error } = await bomb("memory");
    expect(exit.limit).toBe("memory");
    expect(error === undefined || error.error_type === "MemoryError").toBe(true);
  });

  test.runIf(boundsTree)("shared memory counts as well", async () => {
    expect((await bomb("shared_memory")).exit.limit).toBe("memory");
  });

  test("a fork bomb is refused and leaves nothing", async () => {
    const { exit, error } = await bomb("forks", {}, { mark: fileMark });
    if (!sharesUser) expect(error?.error_type).toBe("BlockingIOError");
    if (boundsTree || sharesUser) expect(exit.limit).toBe("processes");
    await allAreGone();
  });

  test("a disk bomb ends with the disk limit", async () => {
    expect((await bomb("disk")).exit.limit).toBe("disk");
  });

  test("what a run leaves is removed, however deep or closed, and its time is billed all the same", async () => {
    const program = `
import os
os.mkdir("closed"); os.mkdir("closed/inner"); os.chmod("closed", 0); os.symlink("/etc", "link")
for _ in range(1200):
    os.mkdir("d" * 200); os.chdir("d" * 200)
`;
    const before = leftovers();
    const { exit, err } = await runInside(sandbox, [machine.python.path, "-I", "-S", "-c", program]);
    expect(err).toBe("");
    expect(exit).toMatchObject({ code: 0, cpu_ms: expect.any(Number) });
    await vi.waitFor(() => expect(leftovers().filter((name) => !before.includes(name))).toEqual([]), 15_000);
  });

  test("CPU time over the limit ends the run", async () => {
    const { exit } = await bomb("cpu", { cpu_ms: 600 });
    expect(exit.limit).toBe("cpu");
  });

  // Level 0 shares /tmp and is said to be no isolation.
  test.runIf(isolates)("two runs and the worker don't see each other", async () => {
    const mark = `mark-${Math.random().toString(36).slice(2)}`;
    const keeping = new AbortController();
    const keeper = adapter.run(
      agentRequest("keeper", { input_payload: { mark }, env: { MARK: mark } }),
      keeping.signal,
    );
    let looked = 0;
    for await (const frame of keeper) {
      if (frame.type !== "output") continue;
      looked += 1;
      const { result, error } = await runAgent(adapter, agentRequest("snoop", { input_payload: { mark } }));
      expect(error).toBeUndefined();
      const { uid, fds, marks, cwd } = result as {
        uid: number;
        fds: [number, number][];
        marks: string[];
        cwd: string[];
      };
      expect(marks).toEqual([]);
      expect(cwd).toEqual(["snoop.py"]);
      const open = fds.filter(([, device]) => device !== deviceOfNull).map(([fd]) => fd);
      // Nothing is there to read. The user ids of a warm sandbox are another namespace's.
      expect(open).toEqual([1, 2, 3]);
      if (isRoot) expect(uid).toBeGreaterThanOrEqual(sandbox.startWarm ? 1_000 : sandboxUidBounds.first);
      keeping.abort();
    }
    expect(looked).toBe(1);
  });

  test("runs at the same time keep apart, and each ends once", async () => {
    const runs = Array.from({ length: 6 }, (__, index) =>
      runAgent(adapter, agentRequest("chatty", { input_payload: { name: `n${index}` } })),
    );
    for (const [index, { outputs }] of (await Promise.all(runs)).entries())
      expect(outputs[0]).toBe(`hello n${index}\n`);
  });
});

test("after all that nothing is left in /tmp, the cgroups or the process table", async () => {
  await vi.waitFor(
    () => {
      expect(leftovers()).toEqual([]);
      expect(markedProcesses(fileMark)).toEqual([]);
      if (isRoot) expect(sandboxedProcesses().filter((pid) => isOurs(pid))).toEqual([]);
    },
    { timeout: 5_000 },
  );
});

const deviceOfNull = statSync("/dev/null").rdev;

/** Whether a process descends from this one; one that went meanwhile doesn't. */
function isOurs(pid: string): boolean {
  const parent = parentOf(pid);
  return parent === String(process.pid) || (parent !== "0" && parent !== "1" && isOurs(parent));
}

function parentOf(pid: string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? "0";
  } catch {
    return "0";
  }
}
