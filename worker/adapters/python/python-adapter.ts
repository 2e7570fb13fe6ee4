import type { Python, Sandbox } from "../../sandbox/sandbox.ts";
import type { SandboxCommand } from "../../sandbox/process.ts";
import type { Frame } from "../../channel/frame-schema.ts";
import { runLimits } from "../../../shared/run/limits.ts";
import type { Adapter, AgentRequest } from "../adapter.ts";
import { readProcess } from "../read-process.ts";
import { bootstraps, compileRunner } from "./compile-runner.ts";
import { createInterpreterPool, type InterpreterPool, type Taken } from "./interpreter-pool.ts";
import { takeOverInterpreter } from "./interpreter.ts";

type PythonOptions = { sandbox: Sandbox; python: Python; warmMemoryBytes: number };

/**
 * Runs Python source: as a fork of an interpreter that has loaded it, where the sandbox can keep one; else each run in a fresh
 * sandbox. A start that fails rejects with `SandboxUnavailable` before `started`.
 */
export async function createPythonAdapter(options: PythonOptions): Promise<Adapter & { close(): void }> {
  const { sandbox, python, warmMemoryBytes } = options;
  const runner = await compileRunner(sandbox, python);
  const start = sandbox.startResident;
  const argv = argvOf(python, bootstraps.resident);
  const pool =
    start &&
    createInterpreterPool({
      usual: runLimits,
      memoryBytes: warmMemoryBytes,
      open: async (resources) => takeOverInterpreter(await start({ argv, env: {}, resources }), runner, python),
    });
  return {
    run: (request, signal) =>
      pool ? runResident(pool, request, signal) : runOnce({ sandbox, python, runner }, request, signal),
    close: () => pool?.close(),
  };
}

function argvOf(python: Python, bootstrap: string): SandboxCommand["argv"] {
  return [python.path, "-I", "-S", "-X", "utf8", "-c", bootstrap];
}

async function* runResident(pool: InterpreterPool, request: AgentRequest, signal: AbortSignal): AsyncGenerator<Frame> {
  let taken: Taken;
  try {
    taken = await pool.take(request, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    yield { type: "started", warm: false };
    yield { type: "exit", code: null, signal: "SIGKILL", limit: null, cpu_ms: null, max_rss_bytes: null };
    return;
  }
  try {
    const { warm, note } = taken;
    yield* readProcess(taken.run(), { warm, note, signal });
  } finally {
    taken.giveBack();
  }
}

type Once = { sandbox: Sandbox; python: Python; runner: Buffer };

async function* runOnce(
  { sandbox, python, runner }: Once,
  request: AgentRequest,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const { resources, version_env: _, ...rest } = request;
  const child = await sandbox.start({ argv: argvOf(python, bootstraps.once), env: {}, resources });
  child.stdin.write(`${runner.length}\n`);
  child.stdin.write(runner);
  child.stdin.end(JSON.stringify({ ...rest, site_path: python.sitePath }));
  yield* readProcess(child, { warm: false, note: null, signal });
}
