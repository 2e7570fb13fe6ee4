import { compileRuntime } from "../adapters/python/compile-runtime.ts";
import { pythonArgv, runtimeHead, readOnlyPaths } from "../adapters/python/python-command.ts";
import type { Python, Sandbox } from "../sandbox/sandbox.ts";
import { type DaemonHost, endlessCpuMs } from "./daemon-host.ts";

/** Starts long-lived Python processes. The runtime is compiled when the first one starts. */
export function createPythonHost(sandbox: Sandbox, python: Python): DaemonHost {
  let compiled: Promise<Buffer> | null = null;
  const runtime = (): Promise<Buffer> => {
    compiled ??= compileRuntime(sandbox, python).catch((error: unknown) => {
      compiled = null;
      throw error;
    });
    return compiled;
  };
  return async ({ resources, egress, ...start }) => {
    const code = await runtime();
    const argv = pythonArgv(python, start.lifecycle === "interactive" ? "session" : "daemon");
    const site = { venv: python.venv, packages: start.packages };
    const readOnly = readOnlyPaths(site);
    const limits = { ...resources, cpu_ms: endlessCpuMs };
    const child = await sandbox.start({ argv, env: {}, readOnly, egress, resources: limits });
    child.stdin.write(runtimeHead(code));
    child.stdin.write(code);
    child.stdin.write(`${JSON.stringify({ ...start, ...site })}\n`);
    return child;
  };
}
