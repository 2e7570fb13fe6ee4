import { existsSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "./exit-codes.ts";
import { readLanggraph } from "./read-langgraph.ts";
import { type Project, readProject } from "./settings.ts";

/** Returns the agents that a folder describes: in runfleet.json, or else in langgraph.json. Throws Fault. */
export function readProjects(folder: string): Project[] {
  const isLanggraph = !existsSync(join(folder, "runfleet.json")) && existsSync(join(folder, "langgraph.json"));
  return isLanggraph ? readLanggraph(folder) : [readProject(folder)];
}

/**
 * Returns the agents that a command is for: all that its folder describes, or of several the one that is named. Throws Fault
 * where none has the name. The only agent of a folder can be published by any name.
 */
export function chooseProjects(described: Project[], name: string | undefined): Project[] {
  if (described.length < 2 || name === undefined) return described;
  const chosen = described.filter(({ agent }) => agent === name);
  if (chosen.length === 0) throw new Fault("usage", `The folder has no agent '${name}': ${namesOf(described)}.`);
  return chosen;
}

/** Returns the one agent that a command is for. Throws Fault where there are several. */
export function onlyProject(projects: Project[]): Project {
  const [project = {}, ...others] = projects;
  if (others.length > 0) throw new Fault("usage", `Name one by --agent: ${namesOf(projects)}.`);
  return project;
}

const namesOf = (projects: Project[]): string => projects.map(({ agent }) => agent).join(", ");
