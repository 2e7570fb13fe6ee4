import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { ownerTag } from "./owner-tag.ts";
import type { AgentProcess, SandboxCommand, SandboxExit } from "./process.ts";
import { SandboxUnavailable } from "./sandbox.ts";

export type ContainerCommand = Pick<SandboxCommand, "env" | "resources"> & {
  image: string;
  /** Instead of the image's own. */
  command: readonly string[];
  stdin: string;
};

/** Docker or Podman, by its command line. */
export type ContainerEngine = { name: string; start(command: ContainerCommand): AgentProcess };

const run = promisify(execFile);
const answerMs = 5_000;

/** The first of docker and podman that has a running engine behind it; null when there is none. */
export async function findContainerEngine(searchPath: string): Promise<ContainerEngine | null> {
  for (const name of ["docker", "podman"]) {
    const answered = await run(name, ["version"], { env: { PATH: searchPath }, timeout: answerMs }).then(
      () => true,
      () => false,
    );
    if (answered) return createEngine(name, searchPath);
  }
  return null;
}

function createEngine(name: string, searchPath: string): ContainerEngine {
  let count = 0;
  return {
    name,
    start({ image, command, env, resources, stdin }) {
      const container = `${ownerTag()}-${count++}`;
      // Values go by the client's environment: a command line can be read by every user of the machine.
      const options = {
        env: { ...env, PATH: searchPath },
        stdio: ["pipe", "pipe", "pipe"] as ["pipe", "pipe", "pipe"],
      };
      const child = spawn(name, [...runOptions(container, resources, Object.keys(env)), image, ...command], options);
      child.stdin.on("error", () => {});
      child.stdin.end(stdin);
      const exited = new Promise<SandboxExit>((resolve, reject) => {
        child.once("error", (cause) => reject(new SandboxUnavailable(`can't start ${name}`, { cause })));
        child.once("close", (code, signal) => resolve(toExit(code, signal)));
      });
      let gone = false;
      void exited.catch(() => undefined).then(() => (gone = true));
      const kill = (): void => {
        if (gone) return;
        run(name, ["kill", container], { env: { PATH: searchPath }, timeout: answerMs }).catch(() =>
          child.kill("SIGKILL"),
        );
      };
      return { stdout: child.stdout, stderr: child.stderr, events: nothing(), exited, kill };
    },
  };
}

function runOptions(container: string, resources: SandboxCommand["resources"], names: string[]): string[] {
  const { memory_bytes, processes, disk_bytes, cpu_ms } = resources;
  return [
    ...["run", "--rm", "--interactive", "--name", container, "--network", "none", "--cap-drop", "ALL"],
    ...["--security-opt", "no-new-privileges", "--read-only", "--tmpfs", `/tmp:rw,size=${disk_bytes}`],
    ...["--pids-limit", String(processes), "--memory", String(memory_bytes), "--memory-swap", String(memory_bytes)],
    ...["--ulimit", `cpu=${Math.ceil(cpu_ms / 1000)}`, "--ulimit", "core=0"],
    ...names.flatMap((name) => ["--env", name]),
  ];
}

/** 125 to 127 are the engine's own; 137 is SIGKILL, by us or for want of memory. */
function toExit(code: number | null, signal: string | null): SandboxExit {
  const nothingMore = { limit: null, cpu_ms: null, max_rss_bytes: null };
  return code === 137 ? { code: null, signal: "SIGKILL", ...nothingMore } : { code, signal, ...nothingMore };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
