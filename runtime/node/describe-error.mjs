// What an agent's author reads about an error.
import { inspect } from "node:util";

const maxTextLength = 64 * 1024;
const maxCauses = 8;
const agentDirectory = process.cwd();

/**
 * Replaces absolute paths with the relative ones that the agent's author knows.
 * @param {string} text
 */
const shortenPaths = (text) => text.replaceAll(`file://${agentDirectory}/`, "").replaceAll(`${agentDirectory}/`, "");

/**
 * True for a stack line of Node or of these programs, which run as `[eval…]`.
 * @param {string} line
 */
const isInternal = (line) => /^ +at .*(node:|\[eval|data:text|\.next \(<anonymous>\)$)/.test(line);

/**
 * Returns the agent's own stack lines, followed by those of the error's causes. Each cause is shown once.
 * @param {unknown} error
 * @param {Set<unknown>} shown
 * @returns {string}
 */
function traceOf(error, shown = new Set()) {
  if (!(error instanceof Error)) return inspect(error);
  shown.add(error);
  const stack = typeof error.stack === "string" ? error.stack : `${error.name}: ${error.message}`;
  const lines = stack.split("\n").filter((line) => !isInternal(line));
  const errors = "errors" in error ? error.errors : [];
  for (const cause of [error.cause ?? [], errors ?? []].flat())
    if (shown.size < maxCauses && !shown.has(cause)) lines.push(`Caused by: ${traceOf(cause, shown.add(cause))}`);
  return lines.join("\n");
}

/** @param {unknown} error */
function describeOrThrow(error) {
  if (!(error instanceof Error)) {
    const message = typeof error === "string" ? error : inspect(error);
    return { error_type: typeof error, message: message.slice(0, maxTextLength), traceback: null };
  }
  const error_type = error.name === "Error" ? error.constructor.name : String(error.name);
  const message = shortenPaths(String(error.message)).slice(0, maxTextLength);
  return { error_type, message, traceback: shortenPaths(traceOf(error)).slice(0, maxTextLength) };
}

/**
 * Returns an error's type, message and traceback. Never throws, whatever was thrown.
 * @param {unknown} error
 * @returns {{ error_type: string, message: string, traceback: string | null }}
 */
export function describe(error) {
  try {
    return describeOrThrow(error);
  } catch {
    return { error_type: typeof error, message: "(what was thrown can't be shown)", traceback: null };
  }
}
