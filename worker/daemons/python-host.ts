import { compileRuntime } from "../adapters/python/compile-runtime.ts";
import { pythonArgv, runtimeHead, readOnlyPaths } from "../adapters/python/python-command.ts";
import type { Python, Sandbox } from "../sandbox/sandbox.ts";
import { type DaemonHost, endlessCpuMs } from "./daemon-host.ts";

/** Starts long-lived Python processes. */
export function createPythonHost(sandbox: Sandbox, python: Python): DaemonHost {
  return async ({ resources, egress, ...start }) => {
    const code = await compileRuntime(sandbox, python);
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
