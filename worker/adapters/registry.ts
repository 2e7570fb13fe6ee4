import type { Environments } from "../sandbox/environments.ts";
import type { Python, Sandbox } from "../sandbox/sandbox.ts";
import type { Adapter } from "./adapter.ts";
import { createPythonAdapter } from "./python/python-adapter.ts";

type AdapterOptions = { sandbox: Sandbox; python: Python; environments: Environments; warmMemoryBytes: number };
export type Adapters = { byType: ReadonlyMap<string, Adapter>; close(): void };

/** Every `adapter_type` that this worker can run, aliases included. */
export async function openAdapters(options: AdapterOptions): Promise<Adapters> {
  const python = await createPythonAdapter(options);
  const byType = new Map(["python", "custom", "langchain", "langgraph", "crewai"].map((name) => [name, python]));
  return { byType, close: () => python.close() };
}
