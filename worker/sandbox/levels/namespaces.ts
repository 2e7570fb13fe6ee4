import { closeSync, constants as fsConstants, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { constants } from "node:os";
import type { Duplex } from "node:stream";
import { z } from "zod";
import type { Egress, EgressListener } from "../../gateway/egress.ts";
import { bwrapArgs, type NamespaceView, workDirectory } from "../bwrap-args.ts";
import type { Cgroup, Cgroups } from "../cgroup/open-cgroups.ts";
import type { OpenExecutable } from "../find-bwrap.ts";
import { type Python, type Sandbox, SandboxUnavailable, toUnavailable } from "../sandbox.ts";
import type { WarmCommand, WarmSandbox } from "../warm-sandbox.ts";
import type { SandboxCommand, SandboxCounts, SandboxExit, SandboxProcess, SandboxUsage } from "../process.ts";
import { launchProcess, type Launched } from "../launch-process.ts";
import { assembleGuard, assembleSeccomp } from "../seccomp.ts";
import { readChildren, usageBelow } from "../process-usage.ts";
import { launchWithEgress, type TrustFile } from "./egress-listener.ts";
import { pairOffset, type SandboxUids } from "../sandbox-uids.ts";

type NamespaceOptions = {
  bwrap: OpenExecutable;
  python: Python;
  uids: SandboxUids | null;
  /** With cgroups the level is 3. Without them it is 2: rlimits bound each process, but not the memory of the whole tree. */
  cgroups: Cgroups | null;
  strayFds: readonly number[];
  egress: Egress;
};

/** The first descriptors after stdin, stdout, stderr and the events channel. bubblewrap reads them to the end and closes them. */
const argsFd = 4;
const seccompFd = 5;
/** A warm sandbox's descriptors. Its control channel stays open. */
const warmFds = { control: 5, seccomp: 6, info: 7, block: 8 } as const;
/** The uid of the author's code inside a warm sandbox with two user ids. The first process has uid 0. */
const authorId = 1_000;
/** How often a process tree's CPU time is compared with its limit. Sooner at first: these checks also measure short runs. */
const cpuCheckMs = { first: 5, most: 250 };
/** How many characters of a first process's stderr are kept. */
const mostComplaint = 300;
/** Runfleet's own processes in the cgroup: bubblewrap and pid 1, and in a warm sandbox the process that loads the code. */
const ownProcesses = { plain: 2, warm: 3 } as const;
const baseEnv = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: workDirectory, TMPDIR: "/tmp", LANG: "C.UTF-8" };

type Start = { script: string; pipes: number; view: Pick<NamespaceView, "first" | "seccompFd"> };
type OpenedSandbox = {
  launched: Launched;
  group: Cgroup | null;
  listener: EgressListener | null;
  uid: number | null;
  release: () => void;
};

/**
 * Levels 3 and 2: bubblewrap's namespaces and a seccomp filter, with a uid of its own for each sandbox where the worker is
 * root. bubblewrap is started as that uid: if root started it, the agent would have the host's uid 0 for files.
 */
export function createNamespaceSandbox(options: NamespaceOptions): Sandbox {
  const { uids, cgroups } = options;
  const filter = assembleSeccomp(process.arch, "namespaces");
  const guard = assembleGuard(process.arch)?.toString("hex") ?? null;
  const open = createOpener(options, filter);

  return {
    report: {
      level: cgroups ? 3 : 2,
      name: cgroups ? "ns+cgroup" : "ns",
      layers: layersOf(uids !== null, filter !== null, cgroups !== null),
    },

    hasEgress: true,

    async start(command) {
      const opened = await open(command, {
        script: limitsScript(command, cgroups !== null),
        pipes: 2,
        view: { first: null, seccompFd: filter && seccompFd },
      });
      return watchCpu(supervise(opened), command.resources.cpu_ms);
    },

    async startWarm(command) {
      const { info, block, seccomp } = warmFds;
      const opened = await open(command, {
        script: 'ulimit -c 0 && ulimit -n 1024 && exec "$@"',
        pipes: uids ? 5 : 4,
        view: { first: { infoFd: info, blockFd: uids && block }, seccompFd: filter && seccomp },
      });
      const { stdin, stdout, stderr, events, ...child } = supervise(opened);
      stdin.end();
      for (const unused of [stdout, events]) unused.resume();
      let complaint = "";
      stderr.on("data", (part: Buffer) => (complaint = (complaint + part.toString()).slice(-mostComplaint)));
      try {
        const first = await admitFirstProcess(opened);
        return {
          ...child,
          ...first,
          protection: { two_ids: uids !== null, filter: guard, has_egress: command.egress != null },
          isMetered: cgroups !== null,
          complaint: () => complaint.trim(),
          rlimits: (cpu_ms) =>
            warmLimits(command.resources, cpu_ms, { hasCgroup: cgroups !== null, hasOwnUser: uids !== null }),
        };
      } catch (error) {
        child.kill();
        throw new SandboxUnavailable("bubblewrap ended at its start", { cause: error });
      }
    },

    close: async () => {
      await cgroups?.close();
    },
  };
}

/** Returns a function that starts bubblewrap with a uid and a cgroup of its own. */
function createOpener(options: NamespaceOptions, filter: Buffer | null) {
  const { bwrap, python, uids, cgroups, strayFds, egress } = options;
  return async (command: WarmCommand, { script, pipes, view }: Start): Promise<OpenedSandbox> => {
    let uid: number | null = null;
    const release = () => uid !== null && uids?.release(uid);
    let group: Cgroup | null = null;
    let launched: Launched | null = null;
    let listener: EgressListener | null = null;
    try {
      uid = (await uids?.take()) ?? null;
      const egressLaunch = launchWithEgress({ python, egress }, command.egress ?? null, argsFd + pipes);
      listener = egressLaunch.listener;
      group = createGroup(cgroups, command.resources, view.first === null ? "plain" : "warm");
      launched = await launchProcess({
        file: bwrap.file,
        args: ["--args", String(argsFd), "--", "/bin/sh", "-c", script, "sh", ...egressLaunch.argv, ...command.argv],
        env: {},
        uid,
        extraPipes: pipes + egressLaunch.trust.length,
        strayFds,
        ...egressLaunch.launch,
      });
      // bubblewrap has waited for its arguments until here, so no code of the agent runs outside of the group.
      await group?.add(launched.pid);
      begin(launched, filter, {
        ...view,
        readOnly: [...python.prefixes, ...command.readOnly],
        diskBytes: command.resources.disk_bytes,
        env: { ...baseEnv, ...egressLaunch.env, ...command.env },
        network: command.egress != null,
        trust: egressLaunch.trust,
      });
      return { launched, group, listener, uid, release };
    } catch (error) {
      if (launched) process.kill(launched.pid, "SIGKILL");
      listener?.close();
      group?.remove();
      release();
      throw toUnavailable(error);
    }
  };
}

/** Sends bubblewrap the arguments, the filter and the certificates that it waits for. */
function begin(
  { extra }: Launched,
  filter: Buffer | null,
  view: NamespaceView & { trust: readonly TrustFile[] },
): void {
  extra[0]?.end(
    bwrapArgs(view)
      .map((arg) => `${arg}\0`)
      .join(""),
  );
  if (filter && view.seccompFd !== null) extra[view.seccompFd - argsFd]?.end(filter);
  for (const { fd, text } of view.trust) extra[fd - argsFd]?.end(text);
}

/**
 * Reads the first process's pid, and maps the two user ids that bubblewrap waits for (user_namespaces(7)): only root may map
 * an id that is not its own.
 */
async function admitFirstProcess({
  launched,
  uid,
}: OpenedSandbox): Promise<Pick<WarmSandbox, "control" | "holdDescriptors" | "openDescriptor">> {
  const { extra, exited } = launched;
  const at = (fd: number) => extra[fd - argsFd];
  const [control, info, block] = [at(warmFds.control), at(warmFds.info), at(warmFds.block)];
  if (!control || !info) throw new Error("no pipes");
  const pid = await readFirstPid(info);
  if (uid !== null)
    for (const map of ["uid_map", "gid_map"])
      await writeFile(`/proc/${pid}/${map}`, `0 ${uid} 1\n${authorId} ${uid + pairOffset} 1\n`);
  const openDirectory = (path: string): number => openSync(path, fsConstants.O_RDONLY | fsConstants.O_DIRECTORY);
  // Held open, so that the directory can't become that of another process with the same pid.
  const held = [openDirectory(`/proc/${pid}`)];
  let isOpen = true;
  void exited.then(() => {
    isOpen = false;
    for (const directory of held) closeSync(directory);
  });
  block?.end("1");
  return {
    control,
    holdDescriptors() {
      if (!isOpen) throw new Error("the sandbox is gone");
      // Through the sandbox's own /proc. Through the machine's /proc, another process that looks up this directory's name (as
      // `ss -p` does) would make it unusable for an ordinary user: the kernel then gives a non-dumpable process's files to root.
      held.push(openDirectory(`/proc/self/fd/${held[0]}/root/proc/1/fd`));
    },
    openDescriptor(fd, flags) {
      if (!isOpen) throw new Error("the sandbox is gone");
      return openSync(`/proc/self/fd/${held[1]}/${fd}`, flags);
    },
  };
}

/** Reads bubblewrap's JSON: `{"child-pid": …}`. */
async function readFirstPid(info: Duplex): Promise<number> {
  let said = "";
  for await (const part of info as AsyncIterable<Buffer>) {
    said += part.toString("latin1");
    if (said.trimEnd().endsWith("}")) break;
  }
  return firstPid.parse(JSON.parse(said))["child-pid"];
}

const firstPid = z.object({ "child-pid": z.int().positive() });

function createGroup(
  cgroups: Cgroups | null,
  { memory_bytes, processes }: WarmCommand["resources"],
  kind: keyof typeof ownProcesses,
): Cgroup | null {
  try {
    return cgroups?.create({ memory_bytes, processes: processes + ownProcesses[kind] }) ?? null;
  } catch (error) {
    throw new SandboxUnavailable("can't make a cgroup", { cause: error });
  }
}

/**
 * Returns a shell script that sets limits and becomes the command. Inside the user namespace RLIMIT_NPROC counts the sandbox's
 * own processes only; dash and ash call it -p, bash -u. RLIMIT_NPROC refuses a fork before the kernel has copied anything, a
 * cgroup only afterwards: without the rlimit, a fork bomb would hold locks on library files that all sandboxes map. RLIMIT_AS,
 * which counts reserved addresses too, is set where there is no cgroup. At the soft CPU limit the kernel sends SIGXCPU, at the
 * hard one SIGKILL.
 */
function limitsScript({ resources, reservedBytes }: SandboxCommand, hasCgroup: boolean): string {
  const { processes, cpu_ms, memory_bytes } = resources;
  const cpuSeconds = Math.ceil(cpu_ms / 1000);
  const kilobytes = Math.ceil((memory_bytes + (reservedBytes ?? 0)) / 1024);
  return [
    "ulimit -c 0 && ulimit -n 1024",
    `ulimit -S -t ${cpuSeconds} && ulimit -H -t ${cpuSeconds + 1}`,
    `{ ulimit -u ${processes + 1} 2>/dev/null || ulimit -p ${processes + 1}; }`,
    ...(hasCgroup ? [] : [`ulimit ${reservedBytes === undefined ? "-v" : "-d"} ${kilobytes}`]),
    'exec "$@"',
  ].join(" && ");
}

/**
 * CPU is a limit of each run; the other limits are of the process that loads the code and of its forks. NPROC also counts that
 * process and, where there is only one user id, pid 1.
 */
function warmLimits(
  { memory_bytes, processes }: WarmCommand["resources"],
  cpu_ms: number,
  { hasCgroup, hasOwnUser }: { hasCgroup: boolean; hasOwnUser: boolean },
): Record<string, [number, number]> {
  const cpuSeconds = Math.ceil(cpu_ms / 1000);
  const own = processes + (hasOwnUser ? 1 : 2);
  return {
    CPU: [cpuSeconds, cpuSeconds + 1],
    NPROC: [own, own],
    ...(hasCgroup ? {} : { AS: [memory_bytes, memory_bytes] }),
  };
}

/** Follows a sandbox to its end. Without a cgroup, the usage at the end is what was measured last. */
function supervise({
  launched,
  group,
  listener,
  release,
}: OpenedSandbox): SandboxProcess & Pick<WarmSandbox, "counts"> {
  const { pid, stdin, stdout, stderr, events } = launched;
  let gone = false;
  let seen: SandboxUsage | null = null;
  let met: SandboxCounts = { memory_kills: 0, refused_forks: 0 };
  let spentMs = 0;
  const usage = (): SandboxUsage => {
    if (gone && seen) return seen;
    const found = group?.readUsage() ?? usageBelow(pid);
    spentMs = Math.max(spentMs, found.cpu_ms);
    seen = { ...found, cpu_ms: spentMs };
    return seen;
  };
  const cpuMs = (): number => {
    if (!gone) spentMs = Math.max(spentMs, group?.readCpuMs() ?? usageBelow(pid).cpu_ms);
    return spentMs;
  };
  const counts = (): SandboxCounts => {
    if (!gone && group) met = group.readCounts();
    return met;
  };
  const kill = () => {
    if (gone) return;
    usage();
    killNamespace(pid);
  };
  const terminate = (): void => {
    if (!gone) terminateCommand(pid);
  };
  const exited = launched.exited.then((exit): SandboxExit => {
    const { cpu_ms } = usage();
    const reached = counts();
    const max_rss_bytes = group?.readPeak() ?? null;
    gone = true;
    listener?.close();
    group?.remove();
    release();
    const { code, signal } = decodeStatus(exit);
    const limit = signal === "SIGXCPU" ? "cpu" : exceeded(code, reached);
    return { code, signal, limit, cpu_ms, max_rss_bytes };
  });
  return { pid, stdin, stdout, stderr, events, exited, terminate, kill, usage, cpuMs, counts, listener };
}

/** Sends SIGTERM to the command: the child of the namespace's first process, which is bubblewrap's child. */
function terminateCommand(pid: number): void {
  for (const target of readChildren(pid).flatMap((first) => readChildren(first))) sendSignal(target, "SIGTERM");
}

function sendSignal(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process is gone already.
  }
}

/** Ends a process tree that has used more CPU time in all than the limit: rlimits limit each process only. */
function watchCpu(child: SandboxProcess, limitMs: number): SandboxProcess {
  let over = false;
  let timer: NodeJS.Timeout;
  const check = (afterMs: number): void => {
    timer = setTimeout(() => {
      over ||= child.cpuMs() > limitMs;
      if (over) child.kill();
      else check(Math.min(afterMs * 2, cpuCheckMs.most));
    }, afterMs).unref();
  };
  check(cpuCheckMs.first);
  const exited = child.exited.then((exit): SandboxExit => {
    clearTimeout(timer);
    return over ? { ...exit, limit: "cpu" } : exit;
  });
  return { ...child, exited };
}

/**
 * Kills the first process of the pid namespace, which ends the whole namespace; bubblewrap outside then reaps it. Where there
 * is no such child yet, bubblewrap itself is killed. That ends the rest, too (PR_SET_PDEATHSIG), but leaves a zombie to the
 * machine's init, which in a container may be a Node that never reaps.
 */
function killNamespace(pid: number): void {
  const children = readChildren(pid);
  for (const target of children.length > 0 ? children : [pid]) sendSignal(target, "SIGKILL");
}

function exceeded(code: number | null, { memory_kills, refused_forks }: SandboxCounts): SandboxExit["limit"] {
  if (code === 0) return null;
  if (memory_kills > 0) return "memory";
  return refused_forks > 0 ? "processes" : null;
}

/** bubblewrap exits with 128 + n when signal n ended its command. */
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
