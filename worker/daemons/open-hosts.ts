import { pythonTypes } from "../adapters/registry.ts";
import type { Python, Sandbox } from "../sandbox/sandbox.ts";
import type { DaemonHost } from "./daemon-host.ts";
import { createPythonHost } from "./python-host.ts";

/** Who starts the processes that stay, by adapter_type. */
export function createDaemonHosts(sandbox: Sandbox, python: Python): ReadonlyMap<string, DaemonHost> {
  const host = createPythonHost(sandbox, python);
  return new Map(pythonTypes.map((type) => [type, host]));
}
