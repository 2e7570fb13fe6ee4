import { constants } from "node:os";
import type { Egress, EgressListener } from "../../gateway/egress.ts";
import { bwrapArgs, type NamespaceView, workDirectory } from "../bwrap-args.ts";
import type { Cgroup, Cgroups } from "../cgroup/open-cgroups.ts";
import type { OpenExecutable } from "../find-bwrap.ts";
import { type Python, type Sandbox, SandboxUnavailable } from "../sandbox.ts";
import type { ResidentCommand, ResidentProcess, SandboxUsage } from "../resident.ts";
import type { SandboxCommand, SandboxExit, SandboxProcess } from "../process.ts";
import { launchProcess, type Launched } from "../launch-process.ts";
import { assembleSeccomp } from "../seccomp.ts";
import { memoryBelow, readChildren } from "../process-tree.ts";
import { wayOut } from "./way-out.ts";
import type { SlotUids } from "../slot-uids.ts";

type NamespaceOptions = {
  bwrap: OpenExecutable;
  python: Python;
  uids: SlotUids | null;
  /** With them it is level 3, without them level 2, where rlimits bound each process but not the tree's memory. */
  cgroups: Cgroups | null;
  strayFds: readonly number[];
  egress: Egress;
};

/** Read to their end and closed by bubblewrap; a resident's control channel lies between them and stays open. */
const argsFd = 4;
const seccompFdOf = (resident: boolean) => (resident ? 6 : 5);
/** The first descriptor after stdin, stdout, stderr and the events channel. */
const firstExtraFd = 4;
/** How often a running tree's CPU time is compared with its limit. */
const cpuCheckMs = 250;
/** bubblewrap's own, or bubblewrap's and the resident, which are in the cgroup as well. */
const ownProcesses = 2;
const baseEnv = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: workDirectory, TMPDIR: "/tmp", LANG: "C.UTF-8" };

type Start = { script: string; resident: boolean };
type Opened = { launched: Launched; group: Cgroup | null; listener: EgressListener | null; release: () => void };
type Supervised = SandboxProcess & Pick<ResidentProcess, "readUsage">;

/**
 * Levels 3 and 2: bubblewrap's namespaces and a seccomp filter, as an own uid where the worker is root. The uid is dropped
 * before bubblewrap starts: started by root it would leave the host's uid 0 to the agent for files.
 */
export function createNamespaceSandbox(options: NamespaceOptions): Sandbox {
  const { uids, cgroups } = options;
  const filter = assembleSeccomp(process.arch, "local");
  const open = createOpener(options, filter);

  return {
    report: {
      level: cgroups ? 3 : 2,
      name: cgroups ? "ns+cgroup" : "ns",
      layers: layersOf(uids !== null, filter !== null, cgroups !== null),
    },

    hasEgress: true,

    async start(command) {
      const { cpu_ms } = command.resources;
      const opened = await open(command, {
        script: limitsScript(command, cgroups !== null),
        resident: false,
      });
      return watchCpu(supervise(opened), cpu_ms);
    },

    async startResident(command) {
      const opened = await open(command, { script: 'ulimit -c 0 && ulimit -n 1024 && exec "$@"', resident: true });
      const [, control] = opened.launched.extra;
      if (!control) throw new SandboxUnavailable("no control channel");
      return {
        ...supervise(opened),
        control,
        endRunConnections: async () => opened.listener?.endRun(),
        rlimits: (cpu_ms) => residentLimits(command.resources, cpu_ms, cgroups !== null),
      };
    },

    close: async () => {
      await cgroups?.close();
    },
  };
}

/** Starts bubblewrap as an own uid and in a group of its own. */
function createOpener(options: NamespaceOptions, filter: Buffer | null) {
  const { bwrap, python, uids, cgroups, strayFds, egress } = options;
  return async (command: ResidentCommand, { script, resident }: Start): Promise<Opened> => {
    const uid = (await uids?.take()) ?? null;
    const release = () => uid !== null && uids?.release(uid);
    let group: Cgroup | null = null;
    let launched: Launched | null = null;
    const extraPipes = 1 + (resident ? 1 : 0) + (filter ? 1 : 0);
    const way = wayOut({ python, egress }, command.egress ?? null, firstExtraFd + extraPipes);
    try {
      group = createGroup(cgroups, command.resources);
      launched = await launchProcess({
        file: bwrap.file,
        args: ["--args", String(argsFd), "--", "/bin/sh", "-c", script, "sh", ...way.argv, ...command.argv],
        env: {},
        uid,
        extraPipes,
        strayFds,
        ...way.launch,
      });
      // bubblewrap waits for its arguments until here, so nothing of the agent's runs outside the group.
      await group?.add(launched.pid);
      const env = { ...baseEnv, ...way.env, ...command.env };
      const view = {
        readOnly: [...python.prefixes, ...command.readOnly],
        diskBytes: command.resources.disk_bytes,
        env,
        resident,
        network: command.egress != null,
      };
      begin(launched, view, filter);
      return { launched, group, listener: way.listener, release };
    } catch (error) {
      if (launched) process.kill(launched.pid, "SIGKILL");
      way.listener?.close();
      group?.remove();
      release();
      throw error;
    }
  };
}

/** Gives bubblewrap what it waits for. */
function begin({ extra }: Launched, view: Omit<NamespaceView, "seccompFd">, filter: Buffer | null): void {
  const options = bwrapArgs({ ...view, seccompFd: filter ? seccompFdOf(view.resident) : null });
  extra[0]?.end(options.map((arg) => `${arg}\0`).join(""));
  if (filter) extra.at(-1)?.end(filter);
}

function createGroup(cgroups: Cgroups | null, resources: ResidentCommand["resources"]): Cgroup | null {
  const { memory_bytes, processes } = resources;
  try {
    return cgroups?.create({ memory_bytes, processes: processes + ownProcesses }) ?? null;
  } catch (error) {
    throw new SandboxUnavailable("can't make a cgroup", { cause: error });
  }
}

/**
 * Sets limits and becomes the command. Inside the user namespace RLIMIT_NPROC counts the sandbox's own processes only; dash
 * and ash call it -p, bash -u. It and RLIMIT_AS, which counts reserved addresses too, are for want of a cgroup. At the soft
 * CPU limit the kernel sends SIGXCPU, at the hard one SIGKILL.
 */
function limitsScript({ resources, reservesAddresses }: SandboxCommand, hasCgroup: boolean): string {
  const { processes, cpu_ms, memory_bytes } = resources;
  const cpuSeconds = Math.ceil(cpu_ms / 1000);
  return [
    "ulimit -c 0 && ulimit -n 1024",
    `ulimit -S -t ${cpuSeconds} && ulimit -H -t ${cpuSeconds + 1}`,
    ...(hasCgroup ? [] : [`{ ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}; }`]),
    ...(hasCgroup ? [] : [`ulimit ${reservesAddresses ? "-d" : "-v"} ${Math.ceil(memory_bytes / 1024)}`]),
    'exec "$@"',
  ].join(" && ");
}

/** A resident's runs take these by themselves, after the fork; the rest is the cgroup's. */
function residentLimits(
  { memory_bytes, processes }: ResidentCommand["resources"],
  cpu_ms: number,
  hasCgroup: boolean,
): Record<string, [number, number]> {
  const cpuSeconds = Math.ceil(cpu_ms / 1000);
  return {
    CPU: [cpuSeconds, cpuSeconds + 1],
    ...(hasCgroup ? {} : { NPROC: [processes + 1, processes + 1], AS: [memory_bytes, memory_bytes] }),
  };
}

function supervise({ launched, group, listener, release }: Opened): Supervised {
  const { pid, stdin, stdout, stderr, events } = launched;
  let gone = false;
  const kill = () => {
    if (!gone) killNamespace(pid);
  };
  const exited = launched.exited.then((exit): SandboxExit => {
    gone = true;
    listener?.close();
    const usage = group?.readUsage() ?? null;
    group?.remove();
    release();
    const { code, signal } = decodeStatus(exit);
    const limit = signal === "SIGXCPU" ? "cpu" : exceeded(code, usage);
    return { code, signal, limit, cpu_ms: usage?.cpu_ms ?? null, max_rss_bytes: usage?.max_rss_bytes ?? null };
  });
  const readUsage = () => group?.readUsage() ?? null;
  return { pid, stdin, stdout, stderr, events, exited, kill, readUsage, memoryBytes: () => memoryBelow(pid) };
}

/** Ends a tree whose processes took more CPU time together than the limit, which rlimits grant to each of them. */
function watchCpu({ readUsage, ...child }: Supervised, limitMs: number): SandboxProcess {
  let over = false;
  const check = setInterval(() => {
    over ||= (readUsage()?.cpu_ms ?? 0) > limitMs;
    if (over) child.kill();
  }, cpuCheckMs).unref();
  const exited = child.exited.then((exit): SandboxExit => {
    clearInterval(check);
    return over ? { ...exit, limit: "cpu" } : exit;
  });
  return { ...child, exited };
}

/**
 * Kills the first process of the pid namespace, and so all of it; bubblewrap outside stays to reap it. Killed itself, as when
 * there is no such child yet, it takes the rest along (PR_SET_PDEATHSIG) but leaves a zombie to the machine's init, which
 * in a container may be a Node that never reaps.
 */
function killNamespace(pid: number): void {
  const children = readChildren(pid);
  for (const target of children.length > 0 ? children : [pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It is gone already.
    }
  }
}

function exceeded(code: number | null, usage: SandboxUsage | null): SandboxExit["limit"] {
  if (!usage || code === 0) return null;
  if (usage.memoryKills > 0) return "memory";
  return usage.refusedForks > 0 ? "processes" : null;
}

/** bubblewrap exits with 128 + n when its command died of signal n. */
function decodeStatus({ code, signal }: { code: number | null; signal: string | null }) {
  const name = Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
  return name ? { code: null, signal: name } : { code, signal };
}

function layersOf(uid: boolean, seccomp: boolean, cgroup: boolean): string[] {
  const namespaces = ["user-ns", "pid-ns", "net-ns", "mount-ns", "ipc-ns"];
  return [
    ...(uid ? ["uid"] : []),
    ...namespaces,
    ...(seccomp ? ["seccomp"] : []),
    ...(cgroup ? ["cgroup"] : []),
    "rlimits",
  ];
}
