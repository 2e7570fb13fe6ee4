import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ownerState, ownerTag } from "./owner-tag.ts";
import type { AgentProcess, SandboxCommand, SandboxExit } from "./process.ts";
import { SandboxUnavailable } from "./sandbox.ts";

export type ContainerCommand = Pick<SandboxCommand, "env" | "resources"> & {
  /** A checked reference of an image that the engine has already: images are never pulled. */
  image: string;
  /** Arguments that replace the image's own command; empty to keep that. */
  command: readonly string[];
  stdin: string;
};

/** Docker or Podman, used through its command line. */
export type ContainerEngine = { name: string; start(command: ContainerCommand): AgentProcess };

const run = promisify(execFile);
const answerMs = 5_000;
/**
 * For how long, and how often, the engine is asked to kill a container until its client has ended. The engine may not know the container
 * yet, and a busy one answers late.
 */
const killForMs = 15_000;
const killEveryMs = 200;

/**
 * Returns docker or podman, the first with a running engine; null when there is none. Ends containers that dead workers of
 * this machine left: a container outlives its worker and its client.
 */
export async function findContainerEngine(searchPath: string): Promise<ContainerEngine | null> {
  for (const name of ["docker", "podman"]) {
    const answered = await run(name, ["version"], { env: { PATH: searchPath }, timeout: answerMs }).then(
      () => true,
      () => false,
    );
    if (!answered) continue;
    await endLeftovers(name, searchPath);
    return createEngine(name, searchPath);
  }
  return null;
}

async function endLeftovers(name: string, searchPath: string): Promise<void> {
  const options = { env: { PATH: searchPath }, timeout: answerMs };
  const list = ["ps", "--filter", "name=^/?runfleet-", "--format", "{{.Names}}"];
  const { stdout } = await run(name, list, options).catch(() => ({ stdout: "" }));
  const left = stdout.split("\n").filter((container) => ownerState(container) === "gone");
  if (left.length > 0) await run(name, ["kill", "--", ...left], options).catch(() => undefined);
}

function createEngine(name: string, searchPath: string): ContainerEngine {
  let count = 0;
  return {
    name,
    start({ image, command, env, resources, stdin }) {
      // With random bytes: the number of a pid namespace, and a pid in it, may be used again later.
      const container = `${ownerTag()}-${count++}-${randomBytes(6).toString("hex")}`;
      // Values are passed in the client's environment: every user of the machine can read a command line.
      const options = {
        env: { ...env, PATH: searchPath },
        stdio: ["pipe", "pipe", "pipe"] as ["pipe", "pipe", "pipe"],
      };
      const child = spawn(
        name,
        [...runOptions(container, resources, Object.keys(env)), "--", image, ...command],
        options,
      );
      child.stdin.on("error", () => {});
      child.stdin.end(stdin);
      const exited = new Promise<SandboxExit>((resolve, reject) => {
        child.once("error", (cause) => reject(new SandboxUnavailable(`can't start ${name}`, { cause })));
        child.once("close", (code, signal) => resolve(toExit(code, signal)));
      });
      let isGone = false;
      const gone = exited.catch(() => undefined).then(() => (isGone = true));
      const ask = (...words: string[]) =>
        run(name, [...words, "--", container], { env: { PATH: searchPath }, timeout: answerMs }).catch(() => undefined);
      // A container outlives its client: the client is killed only when the engine doesn't answer, and the name is removed then.
      const end = async (): Promise<void> => {
        const until = performance.now() + killForMs;
        while (!isGone && performance.now() < until) {
          await ask("kill");
          await Promise.race([gone, sleep(killEveryMs)]);
        }
        child.kill("SIGKILL");
        await ask("rm", "--force");
      };
      let ending: Promise<void> | null = null;
      const kill = (): void => {
        if (!isGone) ending ??= end();
      };
      // The engine's client passes it on to the container.
      const terminate = (): void => void child.kill("SIGTERM");
      return { stdout: child.stdout, stderr: child.stderr, events: nothing(), exited, terminate, kill };
    },
  };
}

/** Distroless' `nonroot`. The uid is of no user of this machine (systemd.io/UIDS-GIDS), and owns no files of images. */
const nobodyElse = "65532:65532";
/** Half of the engine's default weight. */
const cpuShares = 512;

/** A container without network, capabilities, log or anything of the machine. Only /tmp is writable, with `disk_bytes`. */
function runOptions(container: string, resources: SandboxCommand["resources"], names: string[]): string[] {
  const { memory_bytes, processes, disk_bytes, cpu_ms } = resources;
  return [
    ...["run", "--rm", "--interactive", "--name", container, "--pull=never", "--user", nobodyElse],
    ...["--network", "none", "--ipc", "private", "--cgroupns", "private", "--hostname", "run"],
    ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only", "--log-driver", "none"],
    ...["--no-healthcheck", "--tmpfs", `/tmp:rw,nosuid,nodev,size=${disk_bytes}`, "--shm-size", "16777216"],
    ...["--pids-limit", String(processes), "--memory", String(memory_bytes), "--memory-swap", String(memory_bytes)],
    ...["--cpu-shares", String(cpuShares), "--ulimit", `cpu=${Math.ceil(cpu_ms / 1000)}`],
    ...["--ulimit", "core=0", "--ulimit", "nofile=1024:1024"],
    ...names.flatMap((name) => ["--env", name]),
  ];
}

/** 125 to 127 are the engine's own codes. 137 is SIGKILL, by this worker or for lack of memory. */
function toExit(code: number | null, signal: string | null): SandboxExit {
  const nothingMore = { limit: null, cpu_ms: null, max_rss_bytes: null };
  return code === 137 ? { code: null, signal: "SIGKILL", ...nothingMore } : { code, signal, ...nothingMore };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
