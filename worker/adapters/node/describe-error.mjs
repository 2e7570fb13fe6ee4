// What an agent's author reads of an error.
import { inspect } from "node:util";

const maxText = 64 * 1024;
const maxCauses = 8;
const work = process.cwd();

/** Text with paths as the agent knows them. */
const ownPaths = (text) => text.replaceAll(`file://${work}/`, "").replaceAll(`${work}/`, "");

/** The agent's own lines of a stack, and what the error came from. */
function traceOf(error, depth = 0) {
  if (!(error instanceof Error)) return inspect(error);
  const isOurs = (line) => /^ +at .*(node:|\[eval|data:text|\.next \(<anonymous>\)$)/.test(line);
  const own = (error.stack ?? String(error)).split("\n").filter((line) => !isOurs(line));
  const behind = depth < maxCauses ? [error.cause ?? [], error.errors ?? []].flat() : [];
  const causes = behind.slice(0, maxCauses).map((one) => `Caused by: ${traceOf(one, depth + 1)}`);
  return [...own, ...causes].join("\n");
}

/** What an error says of itself, for people. */
export function describe(error) {
  if (!(error instanceof Error)) {
    const message = typeof error === "string" ? error : inspect(error);
    return { error_type: typeof error, message: message.slice(0, maxText), traceback: null };
  }
  const error_type = error.name === "Error" ? error.constructor.name : error.name;
  const message = ownPaths(String(error.message)).slice(0, maxText);
  return { error_type, message, traceback: ownPaths(traceOf(error)).slice(0, maxText) };
}
