import type { Python, Sandbox } from "../sandbox/sandbox.ts";
import type { Adapter } from "./adapter.ts";
import { createPythonAdapter } from "./python/python-adapter.ts";

/** Every `adapter_type` that this worker can run, aliases included. */
export async function createAdapters(sandbox: Sandbox, python: Python): Promise<ReadonlyMap<string, Adapter>> {
  const pythonAdapter = await createPythonAdapter(sandbox, python);
  return new Map(["python", "custom", "langchain", "langgraph", "crewai"].map((name) => [name, pythonAdapter]));
}
