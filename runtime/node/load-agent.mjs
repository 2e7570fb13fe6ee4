// Loads an agent's module, finds the function to call, calls it, and tells how the call ended.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { sendOutput } from "./channel.mjs";
import { Interrupted } from "./context.mjs";
import { describe } from "./describe-error.mjs";
import { placeSyntaxError, readTypeScript } from "./read-typescript.mjs";

/** @import { AgentCode, AgentFunction, AgentModule, Frame } from "./types.d.ts" */

const candidates = ["main", "run", "handler", "agent", "graph", "default"];

class NoEntrypoint extends Error {
  code = "no_entrypoint";
}
export class BadEntrypoint extends Error {
  code = "bad_entrypoint";
}

/**
 * Returns the file and the name of an entrypoint `file.js:name`. Throws when the file isn't there.
 * @param {string} entrypoint
 */
function splitEntrypoint(entrypoint) {
  if (!entrypoint) throw new NoEntrypoint("The agent has no code: neither its config nor the run's files name any.");
  const [path = "", name] = entrypoint.split(":");
  if (!/^[^/].*\.[mc]?[jt]s$/.test(path) || path.split("/").includes(".."))
    throw new BadEntrypoint(`'${entrypoint}' is not like file.js, file.ts or file.js:name.`);
  if (!existsSync(path)) throw new BadEntrypoint(`There is no file '${path}' among the agent's code.`);
  return { path, name };
}

/**
 * Imports the agent's module. `reload`: 0 for the first import; a later import of the same file needs a number of its own,
 * since Node runs a module once for each URL.
 * @param {AgentCode} agent
 * @returns {Promise<AgentModule>}
 */
export async function loadModule({ entrypoint, type_stripper, code, files = {} }, reload = 0) {
  const { path, name } = splitEntrypoint(entrypoint);
  const sources = [path, ...Object.keys({ ...code, ...files })].filter((file) => /\.[mc]?[jt]s$/.test(file));
  if (sources.some((file) => file.endsWith("ts")) && !reload) readTypeScript(type_stripper);
  process.argv = [process.argv[0] ?? "node", resolve(path)];
  /** @type {Record<string, unknown>} */
  const module = await import(`${pathToFileURL(resolve(path)).href}${reload ? `?${reload}` : ""}`).catch((error) => {
    if (error instanceof SyntaxError) placeSyntaxError(error, sources, type_stripper);
    throw error;
  });
  const object = /** @type {Record<string, unknown>} */ (module.default ?? {});
  return {
    path,
    name,
    find: (wanted) =>
      toFunction(module[wanted], module[wanted] === object[wanted] ? object : null) ??
      toFunction(object[wanted], object),
  };
}

/**
 * Returns the function that a run calls, or null when the module has none: it has done its work while it was imported.
 * @param {AgentModule} module
 */
export function findMain({ path, name, find }) {
  if (!name) return candidates.map(find).find((found) => found !== null) ?? null;
  const found = find(name);
  if (found === null) throw new BadEntrypoint(`'${path}' has nothing to call that is named '${name}'.`);
  return found;
}

/**
 * Returns a function, bound to its `owner` where it has one. A LangGraph graph or LangChain runnable, known by its shape, gets
 * a function around it. Returns null for anything else.
 * @param {any} found An agent's export.
 * @param {object | null} owner
 * @returns {AgentFunction | null}
 */
function toFunction(found, owner) {
  if (typeof found === "function") return owner ? found.bind(owner) : found;
  if (typeof found?.stream !== "function" || typeof found.invoke !== "function") return null;
  return async function* (input, context) {
    let last = null;
    const stream = await found.stream(input, { configurable: { thread_id: context.thread_id ?? context.run_id } });
    for await (const part of stream) yield (last = part?.content ?? part);
    return last;
  };
}

/**
 * Sends what an iterator yields. Returns its return value, or the value itself when it isn't an iterator. With a `signal`, an
 * iterator ends at its next yield after the abort, and the signal's reason is thrown.
 * @param {unknown} returned
 * @param {AbortSignal} [signal]
 * @returns {Promise<unknown>}
 */
export async function drive(returned, signal) {
  /** @type {any} An agent's value. */
  const value = await returned;
  const iterator = value?.[Symbol.asyncIterator]?.() ?? (typeof value?.next === "function" ? value : null);
  if (!iterator) return value;
  for (;;) {
    const { done, value: part } = await iterator.next();
    if (done) return part;
    sendOutput(part);
    if (!signal) continue;
    // Lets the process read commands: an iterator that never waits would keep it from reading its cancel.
    await new Promise(setImmediate);
    if (!signal.aborted) continue;
    await iterator.return?.();
    throw signal.reason;
  }
}

/**
 * Returns the last frame of a run that ended with an error.
 * @param {unknown} error
 * @returns {Frame}
 */
export function endingOf(error) {
  if (error instanceof Interrupted) return { type: "interrupt", ...error.question };
  if (error instanceof NoEntrypoint || error instanceof BadEntrypoint)
    return {
      type: "error",
      code: error.code,
      error_type: error.constructor.name,
      message: error.message,
      traceback: null,
    };
  return { type: "error", code: "agent_error", ...describe(error) };
}
