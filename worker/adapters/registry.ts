import type { Environments } from "../environments/environments.ts";
import type { Python, Sandbox } from "../sandbox/sandbox.ts";
import type { Adapter } from "./adapter.ts";
import { createCommandAdapter } from "./command/command-adapter.ts";
import { type Containers, createContainerAdapter } from "./container/container-adapter.ts";
import { createHttpAdapter, type HttpOptions } from "./http/http-adapter.ts";
import type { NodeRuntime } from "./node/node-command.ts";
import { createNodeAdapter } from "./node/node-adapter.ts";
import { createPythonAdapter } from "./python/python-adapter.ts";
import type { IdleCache } from "../warm/idle-cache.ts";

/** `python` and its aliases. */
export const pythonTypes = ["python", "custom", "langchain", "langgraph", "crewai"] as const;

type AdapterOptions = {
  sandbox: Sandbox;
  python: Python;
  /** Null where the sandbox can't run Node. */
  node: NodeRuntime | null;
  environments: Environments;
  idle: IdleCache;
  /** Null where there is no container engine, or no image is allowed. */
  containers: Containers | null;
  http: HttpOptions;
};
export type Adapters = { byType: ReadonlyMap<string, Adapter>; close(): Promise<void> };

/** Opens every adapter that this worker can run, by `adapter_type` and its aliases. */
export async function openAdapters(options: AdapterOptions): Promise<Adapters> {
  const { node, containers, idle } = options;
  const python = await createPythonAdapter(options);
  const command = createCommandAdapter(options.sandbox, options.python);
  const byType = new Map<string, Adapter>([
    ["command", command],
    ["process", command],
  ]);
  for (const name of pythonTypes) byType.set(name, python);
  const nodeAdapter = node === null ? null : createNodeAdapter(options.sandbox, node, idle);
  if (nodeAdapter) byType.set("node", nodeAdapter);
  const http = createHttpAdapter(options.http);
  byType.set("http", http);
  if (containers) byType.set("container", createContainerAdapter(containers));
  return {
    byType,
    async close() {
      command.close();
      python.close();
      nodeAdapter?.close();
      await http.close();
    },
  };
}
