import type { Environments } from "../../environments/environments.ts";
import type { Python, Sandbox } from "../../sandbox/sandbox.ts";
import type { Adapter } from "../adapter.ts";
import { createInterpreterPool } from "../warm/interpreter-pool.ts";
import type { IdleInterpreters } from "../warm/keep-idle.ts";
import { playWarm } from "../warm/play-warm.ts";
import { bootstraps, compileRunner } from "./compile-runner.ts";
import { installRequirements, withInstall } from "./install-requirements.ts";
import { pythonArgv, visible } from "./python-command.ts";
import { takeOverPython } from "./python-interpreter.ts";
import { runOnce } from "./run-once.ts";

type PythonOptions = { sandbox: Sandbox; python: Python; environments: Environments; idle: IdleInterpreters };

/**
 * Runs Python source: as a fork of an interpreter that has loaded it, where the sandbox can keep one; else each run in a fresh
 * sandbox. What the agent requires is installed before. A start that fails rejects with `SandboxUnavailable`.
 */
export async function createPythonAdapter(options: PythonOptions): Promise<Adapter & { close(): void }> {
  const { sandbox, python, environments, idle } = options;
  const runner = await compileRunner(sandbox, python);
  const start = sandbox.startResident;
  const argv = pythonArgv(python, bootstraps.resident);
  const pool =
    start &&
    createInterpreterPool({
      idle,
      // Each run sets its own.
      cpuLimitOf: () => null,
      open: async ({ resources, packages, egress }) => {
        // Every symbol of every library is found at the start, once, not by each fork anew.
        const env = { LD_BIND_NOW: "1" };
        const resident = await start({ argv, env, readOnly: visible(packages), resources, egress });
        return takeOverPython(resident, { runner, site: { site_path: python.sitePath, packages } });
      },
    });
  return {
    async *run(request, signal) {
      const installed = yield* installRequirements(environments, request, signal);
      if (installed === null) return;
      const play = { ...installed, request, signal };
      yield* withInstall(pool ? playWarm(pool, play) : runOnce({ sandbox, python, runner }, play), installed);
    },
    close: () => pool?.close(),
  };
}
