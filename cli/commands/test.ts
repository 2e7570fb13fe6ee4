import { readFileSync } from "node:fs";
import type { Command } from "../command.ts";
import { exitCodes, Fault } from "../exit-codes.ts";
import { onlyProject } from "../read-projects.ts";
import { programOf } from "../rehearse/program-of.ts";
import { rehearse, type Rehearsal } from "../rehearse/rehearse.ts";

const known = new Set(["input", "steps", "signals", "messages", "answers", "restarts"]);

export const test: Command = {
  usage: "test [dir] [-f test.json | -f -] [--agent name]",
  summary:
    "Runs a durable agent on this machine, without a service: steps are mocked, signals scripted, and waits take no time.",
  takesFolder: true,
  options: { file: { type: "string", short: "f" }, agent: { type: "string" } },
  async act({ flags, folder, projects, terminal }) {
    const file = flags["file"];
    const program = programOf(folder, onlyProject(projects));
    const rehearsed = await rehearse(program, typeof file === "string" ? readTest(file) : {});
    terminal.value(rehearsed);
    return rehearsed.error ? exitCodes.run_error : 0;
  },
};

/** Reads what a test scripts. Throws Fault, naming the place. */
function readTest(path: string): Rehearsal {
  const script = readObject(path);
  const unknown = Object.keys(script).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new Fault("usage", `${path}: a test has no '${unknown}'; it has ${[...known].join(", ")}.`);
  for (const name of ["signals", "messages", "answers"])
    if (script[name] !== undefined && !Array.isArray(script[name]))
      throw new Fault("usage", `${path}: '${name}' must be a list.`);
  const { steps = {} } = script;
  if (!isObject(steps)) throw new Fault("usage", `${path}: 'steps' must be an object.`);
  const wrong = Object.keys(steps).find((name) => !isListOfOutcomes(steps[name]));
  if (wrong === undefined) return script;
  const shape = '{"result": …} or {"error": {"type": …}}';
  throw new Fault("usage", `${path}: steps.${wrong} must be a list of what the step ends as: ${shape}.`);
}

function readObject(path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(path === "-" ? 0 : path, "utf8"));
    if (isObject(value)) return value;
  } catch (error) {
    throw new Fault("usage", `${path} can't be read: ${(error as Error).message}`);
  }
  throw new Fault("usage", `${path} is no JSON object.`);
}

const isListOfOutcomes = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isOutcome);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isOutcome = (value: unknown): boolean =>
  isObject(value) && ("result" in value || (isObject(value["error"]) && typeof value["error"]["type"] === "string"));
