import { existsSync } from "node:fs";
import { join } from "node:path";
import { readLanggraph } from "./read-langgraph.ts";
import { type Project, readProject } from "./settings.ts";

/** Returns the agents that a folder describes: in runfleet.json, or else in langgraph.json. Throws Fault. */
export function readProjects(folder: string): Project[] {
  const isLanggraph = !existsSync(join(folder, "runfleet.json")) && existsSync(join(folder, "langgraph.json"));
  return isLanggraph ? readLanggraph(folder) : [readProject(folder)];
}
