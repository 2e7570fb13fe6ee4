import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ownerTag } from "../owner-tag.ts";
import { errorText } from "../../../shared/platform/error-text.ts";

/**
 * Where this worker may create groups: one directory per controller, which under v2 are all the same one. `cpu` counts CPU
 * time. `shares` and `io` set weights between groups; null where there are no such controllers.
 */
export type Hierarchy = {
  version: 1 | 2;
  memory: string;
  pids: string;
  cpu: string;
  shares: string | null;
  io: string | null;
};

type CgroupSources = { mountinfo: string; membership: string };

/**
 * Finds the memory, pids and cpu controllers below the worker's own group, so that the worker's limits apply to its sandboxes
 * too. Returns a reason where this worker may use none. v1 has three hierarchies (cgroups-v1/cgroups.rst); v2 has one, whose
 * controllers must be delegated to the worker (cgroup-v2.rst, "No Internal Process Constraint").
 */
export function findHierarchy(sources: CgroupSources = readSources()): Hierarchy | { reason: string } {
  const v1 = (controller: string) => locate(sources, "cgroup", controller);
  const [memory, pids, cpu] = [v1("memory"), v1("pids"), v1("cpuacct")];
  const optional = (controller: string) => writable(v1(controller));
  if (memory && pids && cpu)
    return usable({ version: 1, memory, pids, cpu, shares: optional("cpu"), io: weighing(optional("blkio")) });
  const unified = locate(sources, "cgroup2", "");
  if (!unified) return { reason: "no cgroup hierarchy is mounted" };
  return (
    delegate(unified) ??
    usable({ version: 2, memory: unified, pids: unified, cpu: unified, shares: unified, io: unified })
  );
}

function readSources(): CgroupSources {
  const read = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "");
  return { mountinfo: read("/proc/self/mountinfo"), membership: read("/proc/self/cgroup") };
}

/** Returns the worker's own directory in a hierarchy; the mount point where a container hides the directories above. */
function locate({ mountinfo, membership }: CgroupSources, type: string, controller: string): string | null {
  const mount = mountinfo.split("\n").find((line) => {
    const [, filesystem = "", , options = ""] = / - (\S+) (\S+) (\S+)/.exec(line) ?? [];
    return filesystem === type && (controller === "" || options.split(",").includes(controller));
  });
  const point = mount?.split(" ")[4];
  if (!point) return null;
  const own = membership.split("\n").find((line) => {
    const [id, controllers = ""] = line.split(":");
    return controller === "" ? id === "0" : controllers.split(",").includes(controller);
  });
  const directory = resolve(`${point}${own?.split(":").slice(2).join(":") ?? ""}`);
  return existsSync(directory) ? directory : point;
}

/** Returns null for kernels that don't weigh I/O under v1: a group without effect would only make each start slower. */
const weighing = (blkio: string | null): string | null =>
  blkio !== null && existsSync(join(blkio, "blkio.weight")) ? blkio : null;

function writable(directory: string | null): string | null {
  try {
    if (directory) accessSync(directory, constants.W_OK);
    return directory;
  } catch {
    return null;
  }
}

function usable(hierarchy: Hierarchy): Hierarchy | { reason: string } {
  for (const directory of new Set([hierarchy.memory, hierarchy.pids, hierarchy.cpu])) {
    if (!writable(directory)) return { reason: `${directory} is not writable` };
  }
  return hierarchy;
}

/**
 * Enables memory and pids for child groups, and cpu and io where they are available. Returns null when memory and pids are
 * enabled. Moves this process to a child group first, since a group with controllers for its children may hold no process.
 */
function delegate(directory: string): { reason: string } | null {
  const control = join(directory, "cgroup.subtree_control");
  const isDelegated = () => {
    const enabled = readFileSync(control, "utf8").split(/\s+/);
    return enabled.includes("memory") && enabled.includes("pids");
  };
  try {
    if (isDelegated()) return null;
    const available = readFileSync(join(directory, "cgroup.controllers"), "utf8").split(/\s+/);
    if (!available.includes("memory") || !available.includes("pids"))
      return { reason: `${directory} offers no memory and pids controllers` };
    const self = join(directory, `${ownerTag()}-worker`);
    mkdirSync(self, { recursive: true });
    writeFileSync(join(self, "cgroup.procs"), String(process.pid));
    writeFileSync(control, "+memory +pids");
    for (const optional of ["+cpu", "+io"]) if (available.includes(optional.slice(1))) tryWrite(control, optional);
    return isDelegated() ? null : { reason: `${directory} took no controllers` };
  } catch (error) {
    return { reason: `${directory} can't be delegated: ${errorText(error)}` };
  }
}

function tryWrite(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch {
    // The parent group doesn't offer this controller.
  }
}
