import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Project, readProject } from "./settings.ts";

/** Returns the agents that a folder describes: in runfleet.json, or else in langgraph.json. */
export async function readProjects(folder: string): Promise<Project[]> {
  const isLanggraph = !existsSync(join(folder, "runfleet.json")) && existsSync(join(folder, "langgraph.json"));
  return isLanggraph ? (await import("./read-langgraph.ts")).readLanggraph(folder) : [readProject(folder)];
}
