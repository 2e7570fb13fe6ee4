import { dirname } from "node:path";
import { z } from "zod";
import { codeOf } from "../../shared/domain/agent/code-of.ts";
import { defaultFiles } from "../../shared/domain/run/default-files.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import { buildOutput } from "../../shared/schemas/build.ts";
import type { BuildEnding } from "../../shared/store/builds/end-build.ts";
import { codeRangeBytes } from "../adapters/node/node-command.ts";
import { readProgram } from "../adapters/node/read-program.ts";
import { readLogLines } from "../environments/read-log-lines.ts";
import type { SandboxExit } from "../sandbox/process.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Bundler } from "./find-bundler.ts";
import { WorkerFault } from "../worker-fault.ts";

const MiB = 1024 * 1024;
/** The longest answer: a bundle, its map and a lock, as JSON. */
const mostAnswer = 64 * MiB;
const registry = "https://registry.npmjs.org/";
const tailLines = 30;

const answer = z.union([z.object({ error: z.string() }), buildOutput.extend({ lock: z.string().nullable() })]);

export type NodeBuildDeps = {
  sandbox: Sandbox;
  /** The path of Node. */
  node: string;
  bundler: Bundler;
  installer: { eachMaxBytes: number; deadlineMs: number; packageHosts: readonly string[]; env: Record<string, string> };
};

type Building = { config: AgentConfig; signal: AbortSignal; onLine: (line: string) => void };

/**
 * Bundles a Node agent's modules with esbuild, after npm has installed what its package.json names, in a sandbox of its own that
 * reaches the registry and nothing else. Rejects with `WorkerFault` or `SandboxUnavailable`.
 */
export async function buildNode(deps: NodeBuildDeps, { config, signal, onLine }: Building): Promise<BuildEnding> {
  const { sandbox, node, bundler, installer } = deps;
  const names: string[] = defaultFiles("node");
  const files = codeOf(config, names[0] ?? "");
  const entrypoint = config.entrypoint ?? names.find((name) => Object.hasOwn(files, name));
  if (entrypoint === undefined) return { error: `The code has none of ${names.join(", ")}. Name an entrypoint.` };
  const npm = Object.hasOwn(files, "package.json") ? bundler.npm : null;
  const network = npm === null ? { egress: null, env: {} } : networkOf(sandbox, installer);
  const memory_bytes = installer.eachMaxBytes + 1024 * MiB;
  const child = await sandbox.start({
    argv: [node, "--no-warnings", "-e", readProgram("build")],
    env: {},
    readOnly: [node, dirname(bundler.esbuild), ...(npm === null ? [] : [dirname(dirname(npm))])],
    egress: network.egress,
    resources: { memory_bytes, disk_bytes: installer.eachMaxBytes, processes: 128, cpu_ms: installer.deadlineMs },
    reservedBytes: codeRangeBytes,
  });
  const late = AbortSignal.timeout(installer.deadlineMs);
  const stopped = AbortSignal.any([signal, late]);
  const kill = (): void => child.kill();
  stopped.addEventListener("abort", kill, { once: true });
  if (stopped.aborted) kill();
  try {
    const asked = { files, entrypoint, esbuild: bundler.esbuild, npm, npm_env: network.env };
    child.stdin.on("error", () => undefined).end(JSON.stringify(asked));
    child.events.destroy();
    const tail: string[] = [];
    const [exit, said] = await Promise.all([
      child.exited,
      readAnswer(child.stdout, kill),
      readLogLines(child.stderr, (line) => {
        tail.push(line);
        if (tail.length > tailLines) tail.shift();
        onLine(line);
      }),
    ]);
    if (signal.aborted) return { error: "The build was stopped." };
    if (late.aborted)
      return { error: `The build did not end within ${installer.deadlineMs / 1000} s (INSTALL_TIMEOUT_MS).` };
    return readEnding(exit, said, tail);
  } finally {
    stopped.removeEventListener("abort", kill);
    kill();
  }
}

type Network = { egress: string[] | null; env: Record<string, string> };

function networkOf({ hasEgress, report }: Sandbox, { env, packageHosts }: NodeBuildDeps["installer"]): Network {
  const given = env["NPM_CONFIG_REGISTRY"] ?? env["npm_config_registry"] ?? registry;
  if (!URL.canParse(given)) throw new WorkerFault("The worker's NPM_CONFIG_REGISTRY is no URL.");
  const { hostname, port, protocol } = new URL(given);
  const npm_env = { npm_config_registry: given };
  const hosts = [`${hostname}:${port || (protocol === "http:" ? 80 : 443)}`, ...packageHosts];
  // A registry on this machine, too, is reached through the sandbox's own proxy.
  if (hasEgress) return { egress: hosts, env: { ...npm_env, NO_PROXY: "", no_proxy: "" } };
  if (report.level === 0) return { egress: null, env: npm_env };
  const level = `sandbox level ${report.level} (${report.name})`;
  throw new WorkerFault(
    `At ${level} a build has no network and can't reach the registry. Run the worker at level 2 or above.`,
  );
}

/** Returns what the build printed on stdout; null when that is too much. */
async function readAnswer(stream: AsyncIterable<Uint8Array>, kill: () => void): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length > mostAnswer) {
        kill();
        return null;
      }
      chunks.push(chunk);
    }
  } catch {
    // The process's exit says why.
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What a build says is foreign: its packages and its author's code were in its sandbox. */
function readEnding({ limit, code, signal }: SandboxExit, said: string | null, tail: string[]): BuildEnding {
  if (said === null) return { error: `The build made more than ${mostAnswer} bytes.` };
  if (limit !== null) return { error: `The build went over its limit (${limit}).` };
  const parsed = parse(said);
  if (parsed === null)
    return { error: `The build was ended by ${signal ?? `its exit code ${code}`}.\n${tail.join("\n")}` };
  if (!("error" in parsed)) {
    const { lock, ...output } = parsed;
    return { output, lock };
  }
  const isNpm = parsed.error.startsWith("npm ");
  return { error: isNpm ? `${parsed.error}:\n${tail.join("\n")}` : parsed.error };
}

function parse(text: string): z.infer<typeof answer> | null {
  try {
    return answer.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
