import type { Python, Sandbox } from "../sandbox/sandbox.ts";
import type { Adapter } from "./adapter.ts";
import { createPythonAdapter } from "./python/python-adapter.ts";

/** `python` and its aliases. */
export const pythonTypes = ["python", "custom", "langchain", "langgraph", "crewai"] as const;

type AdapterOptions = { sandbox: Sandbox; python: Python; warmMemoryBytes: number };
export type Adapters = { byType: ReadonlyMap<string, Adapter>; close(): void };

/** Every `adapter_type` that this worker can run, aliases included. */
export async function openAdapters(options: AdapterOptions): Promise<Adapters> {
  const python = await createPythonAdapter(options);
  const byType = new Map(pythonTypes.map((name) => [name, python]));
  return { byType, close: () => python.close() };
}
