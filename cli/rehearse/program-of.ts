import { Fault } from "../exit-codes.ts";
import { pack } from "../pack.ts";
import type { Project } from "../settings.ts";
import type { Program } from "./agent-process.ts";

/** Returns what a folder's agent is executed as on this machine. Throws Fault for one that has no steps. */
export function programOf(folder: string, project: Project): Program {
  const { adapter_type, entrypoint, files } = pack(folder, project);
  if (adapter_type !== "python" && adapter_type !== "node")
    throw new Fault("usage", `Only Python and Node agents have steps; this one is '${String(adapter_type)}'.`);
  if (typeof entrypoint !== "string")
    throw new Fault("usage", "The agent has no entrypoint: name one in runfleet.json.");
  return { language: adapter_type, entrypoint, files: files as Record<string, string>, folder };
}
