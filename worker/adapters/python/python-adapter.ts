import { runLimits } from "../../../shared/run/limits.ts";
import type { AgentFrame, Frame } from "../../channel/frame-schema.ts";
import type { Environments } from "../../sandbox/environments.ts";
import type { SandboxCommand } from "../../sandbox/process.ts";
import type { Python, Sandbox } from "../../sandbox/sandbox.ts";
import type { Adapter, AgentRequest } from "../adapter.ts";
import { readProcess } from "../read-process.ts";
import { bootstraps, compileRunner } from "./compile-runner.ts";
import { installRequirements } from "./install-requirements.ts";
import { createInterpreterPool, type InterpreterPool, type Taken } from "./interpreter-pool.ts";
import { takeOverInterpreter } from "./interpreter.ts";

type PythonOptions = { sandbox: Sandbox; python: Python; environments: Environments; warmMemoryBytes: number };

/** What is known of a run when its process is to start. */
type Start = { request: AgentRequest; packages: string | null; opening: Frame[]; signal: AbortSignal };

/**
 * Runs Python source: as a fork of an interpreter that has loaded it, where the sandbox can keep one; else each run in a fresh
 * sandbox. What the agent requires is installed before. A start that fails rejects with `SandboxUnavailable`.
 */
export async function createPythonAdapter(options: PythonOptions): Promise<Adapter & { close(): void }> {
  const { sandbox, python, environments, warmMemoryBytes } = options;
  const runner = await compileRunner(sandbox, python);
  const start = sandbox.startResident;
  const argv = argvOf(python, bootstraps.resident);
  const pool =
    start &&
    createInterpreterPool({
      usual: runLimits,
      memoryBytes: warmMemoryBytes,
      open: async ({ resources, packages, egress }) => {
        const resident = await start({ argv, env: {}, readOnly: visible(packages), resources, egress });
        return takeOverInterpreter(resident, { runner, site: { site_path: python.sitePath, packages } });
      },
    });
  return {
    async *run(request, signal) {
      const installed = yield* installRequirements(environments, request.requirements, signal);
      if (installed === null) return;
      const play = { ...installed, request, signal };
      yield* pool ? runResident(pool, play) : runOnce({ sandbox, python, runner }, play);
    },
    close: () => pool?.close(),
  };
}

function argvOf(python: Python, bootstrap: string): SandboxCommand["argv"] {
  return [python.path, "-I", "-S", "-X", "utf8", "-c", bootstrap];
}

const visible = (packages: string | null): string[] => (packages === null ? [] : [packages]);

async function* runResident(pool: InterpreterPool, play: Start): AsyncGenerator<Frame> {
  const { opening, signal } = play;
  let taken: Taken;
  try {
    taken = await pool.take(play);
  } catch (error) {
    if (!signal.aborted) throw error;
    yield* opening;
    yield { type: "exit", code: null, signal: "SIGKILL", limit: null, cpu_ms: null, max_rss_bytes: null };
    return;
  }
  try {
    yield* readProcess(taken.run(), { opening: openingOf(opening, taken), signal });
  } finally {
    taken.giveBack();
  }
}

function openingOf(opening: Frame[], { warm, note }: Taken): Frame[] {
  const begun = opening.map((frame) => (frame.type === "started" ? { ...frame, warm } : frame));
  const said: AgentFrame[] = note === null ? [] : [{ type: "log", level: "info", stream: "agent", message: note }];
  return [...begun, ...said];
}

type Once = { sandbox: Sandbox; python: Python; runner: Buffer };

async function* runOnce({ sandbox, python, runner }: Once, play: Start): AsyncGenerator<Frame> {
  const { request, packages, opening, signal } = play;
  const { resources, egress, version_env: _, ...rest } = request;
  const argv = argvOf(python, bootstraps.once);
  const child = await sandbox.start({ argv, env: {}, readOnly: visible(packages), resources, egress });
  child.stdin.write(`${runner.length}\n`);
  child.stdin.write(runner);
  child.stdin.end(JSON.stringify({ ...rest, site_path: python.sitePath, packages }));
  yield* readProcess(child, { opening, signal });
}
