import { chooseProjects, onlyProject, readProjects } from "../read-projects.ts";
import { programOf } from "./program-of.ts";
import { type Raised, rehearse, type Rehearsal, type Rehearsed } from "./rehearse.ts";

/** `steps`: what steps give instead of being done: a value, `raises(…)`, or `inOrder(…)` of these. `agent`: of a folder with several. */
export type AgentTest = Omit<Rehearsal, "steps"> & {
  steps?: Record<string, unknown>;
  entrypoint?: string;
  agent?: string;
};

const marks = { raised: Symbol("raised"), order: Symbol("order") };

/** A step's error, by the name of its class. */
export const raises = (type: string, message = ""): object => ({ [marks.raised]: { error: { type, message } } });

/** What a step gives at its first call or try, at its second, and so on. The last one stays. */
export const inOrder = (...outcomes: unknown[]): object => ({ [marks.order]: outcomes });

/** Runs the agent of a folder on this machine, with mocked steps and scripted signals. Waits take no time. */
export async function runAgent(
  folder: string,
  { entrypoint, agent, steps = {}, ...test }: AgentTest = {},
): Promise<Rehearsed> {
  const project = onlyProject(chooseProjects(readProjects(folder), agent));
  const named = entrypoint === undefined ? project : { ...project, entrypoint };
  const mocked = Object.entries(steps).map(([name, given]) => [name, outcomesOf(given)] as const);
  return rehearse(programOf(folder, named), { ...test, steps: Object.fromEntries(mocked) });
}

type Marked = { [mark: symbol]: unknown };

function outcomesOf(given: unknown): (Raised | { result: unknown })[] {
  const marked: Marked = typeof given === "object" && given !== null ? (given as Marked) : {};
  const order = marked[marks.order];
  if (Array.isArray(order)) return order.flatMap(outcomesOf);
  const raised = marked[marks.raised];
  return [raised === undefined ? { result: given } : (raised as Raised)];
}
