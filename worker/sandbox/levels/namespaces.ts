import { readFileSync } from "node:fs";
import { constants } from "node:os";
import type { Duplex } from "node:stream";
import { bwrapArgs, workDirectory } from "../bwrap-args.ts";
import type { Cgroup, Cgroups } from "../cgroup/open-cgroups.ts";
import type { OpenExecutable } from "../find-bwrap.ts";
import { type Python, type Sandbox, type SandboxCommand, type SandboxExit, SandboxUnavailable } from "../sandbox.ts";
import { launchProcess, type Launched } from "../launch-process.ts";
import { assembleSeccomp } from "../seccomp.ts";
import type { SlotUids } from "../slot-uids.ts";

type NamespaceOptions = {
  bwrap: OpenExecutable;
  python: Python;
  uids: SlotUids | null;
  /** With them it is level 3, without them level 2, where rlimits bound each process but not the tree's memory. */
  cgroups: Cgroups | null;
  strayFds: readonly number[];
};

const argsFd = 4;
const seccompFd = 5;
/** How often a running tree's CPU time is compared with its limit. */
const cpuCheckMs = 250;
/** bubblewrap's own, which are in the cgroup as well. */
const ownProcesses = 2;

/**
 * Levels 3 and 2: bubblewrap's namespaces and a seccomp filter, as an own uid where the worker is root. The uid is dropped
 * before bubblewrap starts: started by root it would leave the host's uid 0 to the agent for files.
 */
export function createNamespaceSandbox({ bwrap, python, uids, cgroups, strayFds }: NamespaceOptions): Sandbox {
  const filter = assembleSeccomp(process.arch, "local");

  return {
    report: {
      level: cgroups ? 3 : 2,
      name: cgroups ? "ns+cgroup" : "ns",
      layers: layersOf(uids !== null, filter !== null, cgroups !== null),
    },

    async start(command) {
      const uid = (await uids?.take()) ?? null;
      let group: Cgroup | null = null;
      let launched: Launched | null = null;
      try {
        group = createGroup(cgroups, command.resources);
        launched = await launchProcess({
          file: bwrap.file,
          args: [
            "--args",
            String(argsFd),
            "--",
            "/bin/sh",
            "-c",
            limitsScript(command.resources, cgroups !== null),
            "sh",
            ...command.argv,
          ],
          env: {},
          uid,
          extraPipes: filter ? 2 : 1,
          strayFds,
        });
        // bubblewrap waits for its arguments until here, so nothing of the agent's runs outside the group.
        await group?.add(launched.pid);
        const env = {
          PATH: "/usr/local/bin:/usr/bin:/bin",
          HOME: workDirectory,
          TMPDIR: "/tmp",
          LANG: "C.UTF-8",
          ...command.env,
        };
        const view = { readOnly: python.prefixes, diskBytes: command.resources.disk_bytes, env };
        const [args, seccomp] = launched.extra as [Duplex, Duplex?];
        args.end(
          bwrapArgs({ ...view, seccompFd: filter ? seccompFd : null })
            .map((arg) => `${arg}\0`)
            .join(""),
        );
        seccomp?.end(filter);
        return supervise(launched, group, command.resources.cpu_ms, () => uid !== null && uids?.release(uid));
      } catch (error) {
        if (launched) process.kill(launched.pid, "SIGKILL");
        group?.remove();
        if (uid !== null) uids?.release(uid);
        throw error;
      }
    },

    close: async () => {
      await cgroups?.close();
    },
  };
}

function createGroup(cgroups: Cgroups | null, resources: SandboxCommand["resources"]): Cgroup | null {
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
function limitsScript({ processes, cpu_ms, memory_bytes }: SandboxCommand["resources"], hasCgroup: boolean): string {
  const cpuSeconds = Math.ceil(cpu_ms / 1000);
  return [
    "ulimit -c 0 && ulimit -n 1024",
    `ulimit -S -t ${cpuSeconds} && ulimit -H -t ${cpuSeconds + 1}`,
    ...(hasCgroup ? [] : [`{ ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}; }`]),
    ...(hasCgroup ? [] : [`ulimit -v ${Math.ceil(memory_bytes / 1024)}`]),
    'exec "$@"',
  ].join(" && ");
}

function supervise(launched: Launched, group: Cgroup | null, cpuLimitMs: number, release: () => void) {
  const { pid, stdin, stdout, stderr, events } = launched;
  let gone = false;
  let overCpu = false;
  const kill = () => {
    if (!gone) killNamespace(pid);
  };
  const cpuCheck =
    group &&
    setInterval(() => {
      overCpu ||= group.readUsage().cpu_ms > cpuLimitMs;
      if (overCpu) kill();
    }, cpuCheckMs).unref();

  const exited = launched.exited.then((exit): SandboxExit => {
    gone = true;
    if (cpuCheck) clearInterval(cpuCheck);
    const usage = group?.readUsage() ?? null;
    group?.remove();
    release();
    const { code, signal } = decodeStatus(exit);
    const limit = overCpu || signal === "SIGXCPU" ? "cpu" : exceeded(code, usage);
    return { code, signal, limit, cpu_ms: usage?.cpu_ms ?? null, max_rss_bytes: usage?.max_rss_bytes ?? null };
  });
  return { pid, stdin, stdout, stderr, events, exited, kill };
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

function readChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function exceeded(code: number | null, usage: ReturnType<Cgroup["readUsage"]> | null): SandboxExit["limit"] {
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
