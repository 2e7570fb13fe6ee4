import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findLeftovers, ownerTag } from "../owner-tag.ts";
import type { SandboxCounts, SandboxUsage } from "../process.ts";
import type { Hierarchy } from "./find-hierarchy.ts";
import { openStatusFiles, type StatusFiles } from "./status-files.ts";

type CgroupLimits = { memory_bytes: number; processes: number };

export type Cgroup = {
  /**
   * Moves a process into the group. Processes that it starts later are in the group as well. Asynchronous: the kernel may wait
   * 10 ms here for every CPU (cgroup_threadgroup_rwsem).
   */
  add(pid: number): Promise<void>;
  readUsage(): SandboxUsage;
  readCpuMs(): number;
  readCounts(): SandboxCounts;
  /** Returns the most memory that it has held; null where the kernel has no such number. */
  readPeak(): number | null;
  /** Kills the group's processes and removes the group, in the background. */
  remove(): void;
};

export type Cgroups = {
  /** Throws when the kernel refuses the group or a limit. */
  create(limits: CgroupLimits): Cgroup;
  /** Resolves when every removed group is gone. */
  close(): Promise<void>;
};

const removalMs = 5_000;

/**
 * A whole sandbox's weight. For the processor it is a quarter of the default of one process (v1), or of one group (v2): sandboxes
 * share alike, and together they leave the worker, the API and the stores their time. For I/O it is the default.
 */
const weights = { 1: { cpu: 256, io: 100 }, 2: { cpu: 25, io: 100 } } as const;
/** v1 has a separate limit for the memory of TCP sockets; v2 counts that memory with the rest. */
const socketBytes = 32 * 1024 * 1024;

/** A setting without a directory is skipped. */
type Setting = [directory: string | null, file: string, value: number];
type Layout = {
  required(limits: CgroupLimits, hierarchy: Hierarchy): Setting[];
  /** Settings that some kernels don't have. */
  optional(limits: CgroupLimits, hierarchy: Hierarchy): Setting[];
  usage: { cpu: string; cpuKey: string | null; perMs: number; memory: string; peak: string; oom: string };
};

const layouts: Record<1 | 2, Layout> = {
  1: {
    required: ({ memory_bytes, processes }: CgroupLimits, { memory, pids }: Hierarchy) => [
      [memory, "memory.limit_in_bytes", memory_bytes],
      [pids, "pids.max", processes],
    ],
    optional: ({ memory_bytes }: CgroupLimits, { memory, shares, io }: Hierarchy) => [
      [memory, "memory.memsw.limit_in_bytes", memory_bytes],
      [memory, "memory.kmem.tcp.limit_in_bytes", socketBytes],
      [shares, "cpu.shares", weights[1].cpu],
      [io, "blkio.weight", weights[1].io],
    ],
    usage: {
      cpu: "cpuacct.usage",
      cpuKey: null,
      perMs: 1e6,
      memory: "memory.usage_in_bytes",
      peak: "memory.max_usage_in_bytes",
      oom: "memory.oom_control",
    },
  },
  2: {
    required: ({ memory_bytes, processes }: CgroupLimits, { memory, pids }: Hierarchy) => [
      [memory, "memory.max", memory_bytes],
      [pids, "pids.max", processes],
    ],
    optional: (_: CgroupLimits, { memory, shares, io }: Hierarchy) => [
      [memory, "memory.swap.max", 0],
      [shares, "cpu.weight", weights[2].cpu],
      [io, "io.weight", weights[2].io],
    ],
    usage: {
      cpu: "cpu.stat",
      cpuKey: "usage_usec",
      perMs: 1e3,
      memory: "memory.current",
      peak: "memory.peak",
      oom: "memory.events",
    },
  },
};

/** Opens groups for sandboxes, named by this worker's tag. Removes groups that dead workers left. */
export function openCgroups(hierarchy: Hierarchy): Cgroups {
  const { memory, pids, cpu, shares, io } = hierarchy;
  const directories = [...new Set([memory, pids, cpu, shares, io])].filter((directory) => directory !== null);
  const removals = new Set<Promise<void>>();
  // A process may open groups more than once, also while earlier ones of its own are still being removed.
  const tag = `${ownerTag()}-${randomBytes(4).toString("hex")}`;
  let count = 0;

  const removeInBackground = (paths: string[]) => {
    const removal = removeGroups(paths).finally(() => removals.delete(removal));
    removals.add(removal);
  };
  removeInBackground(directories.flatMap((directory) => findLeftovers(directory).map((name) => join(directory, name))));

  return {
    create(limits) {
      const name = `${tag}-${count++}`;
      const paths = directories.map((directory) => join(directory, name));
      const inGroup = (directory: string, file: string) => join(directory, name, file);
      try {
        for (const path of paths) mkdirSync(path);
        for (const [directory, file, value] of layouts[hierarchy.version].required(limits, hierarchy))
          if (directory) writeFileSync(inGroup(directory, file), String(value));
      } catch (error) {
        removeInBackground(paths);
        throw error;
      }
      for (const [directory, file, value] of layouts[hierarchy.version].optional(limits, hierarchy))
        if (directory) tryWrite(inGroup(directory, file), String(value));
      const files = openStatusFiles();
      return {
        async add(pid) {
          await Promise.all(paths.map((path) => writeFile(join(path, "cgroup.procs"), String(pid))));
        },
        ...createReadings(hierarchy, limits.processes, { inGroup, files }),
        remove() {
          files.close();
          removeInBackground(paths);
        },
      };
    },
    close: async () => {
      await Promise.all(removals);
    },
  };
}

type Files = { inGroup: (directory: string, file: string) => string; files: StatusFiles };

/**
 * Forks are mostly refused by the rlimit, which has the same number and comes before the group's limit. That is seen by the
 * group having been full (`pids.peak`, since Linux 6.6).
 */
function createReadings(
  { version, cpu, memory, pids }: Hierarchy,
  processes: number,
  { inGroup, files }: Files,
): Pick<Cgroup, "readUsage" | "readCpuMs" | "readCounts" | "readPeak"> {
  const { usage } = layouts[version];
  const { cpuKey, perMs } = usage;
  // Made once: they are read a few times in each run.
  const [cpuFile, memoryFile, oomFile] = [
    inGroup(cpu, usage.cpu),
    inGroup(memory, usage.memory),
    inGroup(memory, usage.oom),
  ];
  const [refusedFile, mostFile] = [inGroup(pids, "pids.events"), inGroup(pids, "pids.peak")];
  const readCpuMs = (): number => Math.round((files.number(cpuFile, cpuKey) ?? 0) / perMs);
  return {
    readUsage: () => ({ cpu_ms: readCpuMs(), memory_bytes: files.number(memoryFile, null) ?? 0 }),
    readCpuMs,
    readCounts() {
      const refused = files.number(refusedFile, "max") ?? 0;
      const mostProcesses = files.number(mostFile, null) ?? 0;
      return {
        memory_kills: files.number(oomFile, "oom_kill") ?? 0,
        refused_forks: refused + (mostProcesses >= processes ? 1 : 0),
      };
    },
    readPeak: () => files.number(inGroup(memory, usage.peak), null),
  };
}

function killMembers(paths: readonly string[]): void {
  for (const path of paths) {
    if (tryWrite(join(path, "cgroup.kill"), "1")) continue;
    for (const pid of readMembers(path)) tryKill(pid);
  }
}

function readMembers(path: string): number[] {
  try {
    return readFileSync(join(path, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Removes groups. rmdir fails with EBUSY while a dying process is in the group. */
async function removeGroups(paths: string[]): Promise<void> {
  const deadline = performance.now() + removalMs;
  let left = paths;
  while (left.length > 0 && performance.now() < deadline) {
    killMembers(left.filter((path) => readMembers(path).length > 0));
    const removed = await Promise.all(
      left.map((path) =>
        rmdir(path).then(
          () => true,
          (error) => error.code === "ENOENT",
        ),
      ),
    );
    left = left.filter((_, index) => !removed[index]);
    if (left.length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function tryWrite(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "r+" });
    return true;
  } catch {
    return false;
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process is gone already.
  }
}
