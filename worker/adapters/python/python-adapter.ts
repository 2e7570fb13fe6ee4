import type { Environments } from "../../environments/environments.ts";
import type { Python, Sandbox } from "../../sandbox/sandbox.ts";
import type { Adapter } from "../adapter.ts";
import { createInterpreterPool } from "../../warm/interpreter-pool.ts";
import type { IdleCache } from "../../warm/idle-cache.ts";
import { runWarm } from "../../warm/run-warm.ts";
import { compileRuntime } from "./compile-runtime.ts";
import { installRequirements, withInstall } from "./install-requirements.ts";
import { pythonArgv, readOnlyPaths } from "./python-command.ts";
import { runOnce } from "./run-once.ts";
import { startWarmHost } from "./warm-host.ts";

type PythonOptions = { sandbox: Sandbox; python: Python; environments: Environments; idle: IdleCache };

/**
 * Runs Python source. Where the sandbox supports warm starts, a run is a fork of an interpreter that has loaded the code;
 * elsewhere each run has a fresh sandbox. The agent's requirements are installed first. A failed start rejects with
 * `SandboxUnavailable`.
 */
export async function createPythonAdapter(options: PythonOptions): Promise<Adapter & { close(): void }> {
  const { sandbox, python, environments, idle } = options;
  const runtime = await compileRuntime(sandbox, python);
  const start = sandbox.startWarm;
  const argv = pythonArgv(python, "pid_1");
  const pool =
    start &&
    createInterpreterPool({
      idle,
      limitsCpuAtStart: false,
      prewarmsAtOnce: true,
      open: async ({ resources, packages, egress }) => {
        // Symbols of libraries are resolved once, at the start, instead of by each fork.
        const env = { LD_BIND_NOW: "1" };
        const site = { venv: python.venv, packages };
        const warm = await start({ argv, env, readOnly: readOnlyPaths(site), resources, egress });
        return startWarmHost(warm, { runtime, site });
      },
    });
  return {
    async *run(request, signal, replies) {
      const installed = yield* installRequirements(environments, request, signal);
      if (installed === null) return;
      const run = { ...installed, request, signal, replies };
      yield* withInstall(pool ? runWarm(pool, run) : runOnce({ sandbox, python, runtime }, run), installed);
    },
    close: () => pool?.close(),
  };
}
