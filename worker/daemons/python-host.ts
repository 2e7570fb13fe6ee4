import { bootstraps, compileRunner } from "../adapters/python/compile-runner.ts";
import { pythonArgv, visible } from "../adapters/python/python-command.ts";
import type { Python, Sandbox } from "../sandbox/sandbox.ts";
import { type DaemonHost, endlessCpuMs } from "./daemon-host.ts";

/** Runs Python processes that stay. The runner is compiled when the first one starts. */
export function createPythonHost(sandbox: Sandbox, python: Python): DaemonHost {
  let compiled: Promise<Buffer> | null = null;
  const runner = (): Promise<Buffer> => {
    compiled ??= compileRunner(sandbox, python).catch((error: unknown) => {
      compiled = null;
      throw error;
    });
    return compiled;
  };
  return async ({ resources, egress, ...start }) => {
    const code = await runner();
    const argv = pythonArgv(python, bootstraps.daemon);
    const readOnly = visible(start.packages);
    const limits = { ...resources, cpu_ms: endlessCpuMs };
    const child = await sandbox.start({ argv, env: {}, readOnly, egress, resources: limits });
    child.stdin.write(`${code.length}\n`);
    child.stdin.write(code);
    child.stdin.write(`${JSON.stringify({ ...start, site_path: python.sitePath })}\n`);
    return child;
  };
}
