import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { type Python, type Sandbox, SandboxUnavailable, toUnavailable } from "../sandbox.ts";
import type { SandboxCommand, SandboxExit } from "../process.ts";
import { launchProcess, type Launched } from "../launch-process.ts";
import { findLeftovers, ownerTag } from "../owner-tag.ts";
import { usageBelow } from "../process-usage.ts";
import type { SandboxUids } from "../sandbox-uids.ts";

/** What confines the command besides rlimits and a clean environment. */
export type Confinement = {
  report: { level: number; name: string; layers: string[] };
  /** For Landlock: the paths that stay readable. Empty for no Landlock. */
  readable: readonly string[];
  seccomp: Buffer | null;
  /** Returns the command line, which may run the command through another program. */
  wrap(command: SandboxCommand, directory: string): string[];
};

type SupervisedOptions = {
  python: Python;
  uids: SandboxUids | null;
  strayFds: readonly number[];
  confinement: Confinement;
};

const run = promisify(execFile);

/** After this time the supervisor counts as stuck, and is killed with its process group. */
const stuckMs = 1_000;

/**
 * Levels without namespaces: `supervisor.py` starts the confined command, adopts processes that it leaves behind, and ends all
 * of them. Working directories are in the system's temporary directory. The worker removes them, and those of dead workers at
 * its start.
 */
export function createSupervisedSandbox({ python, uids, strayFds, confinement }: SupervisedOptions): Sandbox {
  const source = readFileSync(new URL("./supervisor.py", import.meta.url), "utf8");
  const base = tmpdir();
  const tag = ownerTag();
  for (const name of findLeftovers(base)) void removeDirectory(join(base, name));

  return {
    report: { ...confinement.report, layers: [...(uids ? ["uid"] : []), ...confinement.report.layers] },

    hasEgress: false,

    async start(command) {
      if (command.egress) throw new SandboxUnavailable("no network without a network namespace");
      let uid: number | null = null;
      const release = () => uid !== null && uids?.release(uid);
      const directory = join(base, `${tag}-${randomBytes(6).toString("hex")}`);
      const { cpu_ms, memory_bytes, processes, disk_bytes } = command.resources;
      try {
        uid = (await uids?.take()) ?? null;
        const flags = [uid === null ? 0 : 1, command.reservedBytes === undefined ? 0 : 1];
        const limits = [cpu_ms, memory_bytes + (command.reservedBytes ?? 0), processes, disk_bytes, ...flags]
          .map(Math.ceil)
          .join(",");
        const fixed = [
          String(process.pid),
          directory,
          limits,
          confinement.seccomp?.toString("hex") ?? "",
          [...confinement.readable, ...(confinement.readable.length > 0 ? command.readOnly : [])].join(":"),
        ];
        const launched = await launchProcess({
          file: python.path,
          args: ["-I", "-S", "-c", source, ...fixed, ...confinement.wrap(command, directory)],
          env: {},
          uid,
          extraPipes: 1,
          strayFds,
        });
        const [channel] = launched.extra as [Duplex];
        channel.end(encodeEnv(command.env, directory));
        // The uid is released after the removal: its next run could read the files.
        return supervise(launched, channel, () => removeDirectory(directory).finally(release));
      } catch (error) {
        release();
        throw toUnavailable(error);
      }
    },

    startWarm: null,

    close: async () => {},
  };
}

function encodeEnv(env: SandboxCommand["env"], directory: string): string {
  const base = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: directory, TMPDIR: directory, LANG: "C.UTF-8" };
  return Object.entries({ ...base, ...env })
    .map(([name, value]) => `${name}=${value}`)
    .join("\0");
}

function supervise(launched: Launched, channel: Duplex, settle: () => Promise<void>) {
  const { pid, stdin, stdout, stderr, events } = launched;
  const report = text(channel).catch(() => "");
  let gone = false;
  let stuck: NodeJS.Timeout | undefined;
  const kill = () => {
    if (gone || stuck) return;
    process.kill(pid, "SIGTERM");
    stuck = setTimeout(() => !gone && process.kill(-pid, "SIGKILL"), stuckMs).unref();
  };
  /** The supervisor passes it on to the command as SIGTERM. */
  const terminate = (): void => {
    if (!gone && !stuck) process.kill(pid, "SIGUSR1");
  };
  const exited = launched.exited.then(async (exit): Promise<SandboxExit> => {
    gone = true;
    clearTimeout(stuck);
    const timeout = new Promise<string>((resolve) => setTimeout(resolve, stuckMs, "").unref());
    const settled = settle();
    const line = await Promise.race([report, timeout]);
    await Promise.race([settled, timeout]);
    return decodeReport(line, exit);
  });
  return {
    pid,
    stdin,
    stdout,
    stderr,
    events,
    exited,
    terminate,
    kill,
    usage: () => usageBelow(pid),
    cpuMs: () => usageBelow(pid).cpu_ms,
    listener: null,
  };
}

/** Without a report the supervisor itself was killed: by SIGTERM before it had started anything, or because it was stuck. */
function decodeReport(line: string, exit: { code: number | null; signal: string | null }): SandboxExit {
  const [code, number, cpu_ms, max_rss_bytes, tooMany] = line.trim().split(" ").map(Number);
  if (code === undefined || number === undefined || cpu_ms === undefined || max_rss_bytes === undefined)
    return { ...exit, signal: exit.signal && "SIGKILL", limit: null, cpu_ms: null, max_rss_bytes: null };
  const signal = Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? null;
  const limit = tooMany === 1 ? "processes" : limitOf(signal);
  return { code: signal ? null : code, signal, limit, cpu_ms, max_rss_bytes };
}

/**
 * Uses `rm` and `chmod`, which walk a tree step by step: a run may leave paths that are too long for Node, directories that
 * their own user may not enter, and links in the place of directories. What the kernel refuses to remove stays.
 */
async function removeDirectory(directory: string): Promise<void> {
  const remove = () => run("rm", ["-rf", "--", directory]);
  await remove()
    .catch(async () => {
      // `chmod -R` would follow a link in the place of the directory itself.
      if (!(await lstat(directory)).isDirectory()) return;
      await run("chmod", ["-R", "u+rwX", "--", directory]);
      await remove();
    })
    .catch(() => {});
}

/** Returns the limit that a signal stands for: the kernel sends these signals when a soft limit is exceeded. */
function limitOf(signal: string | null): "cpu" | "disk" | null {
  if (signal === "SIGXCPU") return "cpu";
  return signal === "SIGXFSZ" ? "disk" : null;
}
