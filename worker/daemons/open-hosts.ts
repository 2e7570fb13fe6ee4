import { pythonTypes } from "../adapters/registry.ts";
import type { Python, Sandbox } from "../sandbox/sandbox.ts";
import type { DaemonHost } from "./daemon-host.ts";
import type { NodeRuntime } from "../adapters/node/node-command.ts";
import { createNodeHost } from "./node-host.ts";
import { createPythonHost } from "./python-host.ts";

type HostsOptions = {
  sandbox: Sandbox;
  python: Python;
  /** Null where the sandbox can't run Node. */
  node: NodeRuntime | null;
};

/** Returns what starts daemons and interactive processes, by adapter_type. */
export function createDaemonHosts({ sandbox, python, node }: HostsOptions): ReadonlyMap<string, DaemonHost> {
  const host = createPythonHost(sandbox, python);
  const hosts = new Map(pythonTypes.map((type): [string, DaemonHost] => [type, host]));
  if (node !== null) hosts.set("node", createNodeHost(sandbox, node));
  return hosts;
}
