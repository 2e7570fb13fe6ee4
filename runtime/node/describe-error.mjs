// What an agent's author reads of an error.
import { inspect } from "node:util";

const maxText = 64 * 1024;
const maxCauses = 8;
const work = process.cwd();

/** Text with paths as the agent knows them. */
const ownPaths = (text) => text.replaceAll(`file://${work}/`, "").replaceAll(`${work}/`, "");

const isOurs = (line) => /^ +at .*(node:|\[eval|data:text|\.next \(<anonymous>\)$)/.test(line);

/** The agent's own lines of a stack, and what the error came from: each of those once. */
function traceOf(error, seen = new Set()) {
  if (!(error instanceof Error)) return inspect(error);
  seen.add(error);
  const stack = typeof error.stack === "string" ? error.stack : `${error.name}: ${error.message}`;
  const lines = stack.split("\n").filter((line) => !isOurs(line));
  for (const cause of [error.cause ?? [], error.errors ?? []].flat())
    if (seen.size < maxCauses && !seen.has(cause)) lines.push(`Caused by: ${traceOf(cause, seen.add(cause))}`);
  return lines.join("\n");
}

function describeWell(error) {
  if (!(error instanceof Error)) {
    const message = typeof error === "string" ? error : inspect(error);
    return { error_type: typeof error, message: message.slice(0, maxText), traceback: null };
  }
  const error_type = error.name === "Error" ? error.constructor.name : String(error.name);
  const message = ownPaths(String(error.message)).slice(0, maxText);
  return { error_type, message, traceback: ownPaths(traceOf(error)).slice(0, maxText) };
}

/** What an error says of itself, for people. */
export function describe(error) {
  try {
    return describeWell(error);
  } catch {
    return { error_type: typeof error, message: "(what was thrown can't be shown)", traceback: null };
  }
}
