// Loads an agent's module, finds the function to call, calls it, and tells how the call ended.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { sendOutput } from "./channel.mjs";
import { Interrupted } from "./context.mjs";
import { describe } from "./describe-error.mjs";
import { frameworkOf } from "./frameworks.mjs";
import { readerOf } from "./read-returned.mjs";
import { atPart, Continued, Nondeterminism } from "./steps.mjs";
import { placeSyntaxError, readTypeScript } from "./read-typescript.mjs";

/** @import { AgentCode, AgentFunction, AgentModule, Context, Frame } from "./types.d.ts" */

const candidates = ["main", "run", "handler", "agent", "graph", "app", "default"];
const shownNames = 10;

export class NoEntrypoint extends Error {
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
  if (!entrypoint) throw new NoEntrypoint(describeMissing());
  const [path = "", name] = entrypoint.split(":");
  if (!/^[^/].*\.[mc]?[jt]s$/.test(path) || path.split("/").includes(".."))
    throw new BadEntrypoint(`'${entrypoint}' is not like file.js, file.ts or file.js:name.`);
  if (!existsSync(path)) throw new BadEntrypoint(`There is no file '${path}' among the agent's code.${others()}`);
  return { path, name };
}

/** Returns the agent's code files, the shortest paths first. */
const ownFiles = () =>
  readdirSync(".", { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[mc]?[jt]s$/.test(name) && !name.startsWith("node_modules/"))
    .sort((one, other) => one.split("/").length - other.split("/").length || (one < other ? -1 : 1));

function others() {
  const files = ownFiles();
  return files.length > 0 ? ` There is: ${files.slice(0, shownNames).join(", ")}.` : "";
}

function describeMissing() {
  const [first, ...more] = ownFiles();
  if (first === undefined) return "The agent has no code: neither its config nor the run's files name any.";
  const shown = [first, ...more].slice(0, shownNames).join(", ");
  return `The agent's config has no entrypoint. Its code is ${shown}: name one, as in "entrypoint": "${first}:main".`;
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
  // A bundle: its map shows the author's own lines.
  if (code && `${path}.map` in code) process.setSourceMapsEnabled(true);
  process.argv = [process.argv[0] ?? "node", resolve(path)];
  /** @type {Record<string, unknown>} */
  const module = await import(`${pathToFileURL(resolve(path)).href}${reload ? `?${reload}` : ""}`).catch((error) => {
    if (error instanceof SyntaxError) placeSyntaxError(error, sources, type_stripper);
    throw error;
  });
  const object = /** @type {Record<string, unknown>} */ (module.default ?? {});
  const values = { ...(typeof object === "object" && object), ...module };
  return {
    path,
    name,
    values,
    find: (wanted) =>
      toFunction(module[wanted], module[wanted] === object[wanted] ? object : null) ??
      toFunction(object[wanted], object),
  };
}

/**
 * Returns the function that a run calls, or null when the module exports nothing: it has done its work while it was imported.
 * Throws when what the module exports can't be called.
 * @param {AgentModule} module
 */
export function findMain({ path, name, values, find }) {
  const names = Object.keys(values).filter((one) => one !== "module.exports");
  if (name) {
    const found = find(name);
    if (found === null) throw new BadEntrypoint(describeUnusable(path, name, values[name], names));
    return found;
  }
  const found = candidates.map(find).find((one) => one !== null);
  if (found) return found;
  const there = candidates.find((one) => isThing(values[one]) && !(one === "default" && isEmpty(values[one])));
  if (there !== undefined) throw new BadEntrypoint(describeUnusable(path, there, values[there], names));
  const exported = names.filter((one) => one !== "default");
  if (exported.length > 0) {
    const looked = `${candidates.slice(0, -1).join(", ")} or a default export`;
    const cure = `Export a function \`main\`, or name one in the entrypoint: '${path}:${exported[0]}'.`;
    throw new NoEntrypoint(
      `'${path}' has none of ${looked}. It exports ${exported.slice(0, shownNames).join(", ")}. ${cure}`,
    );
  }
  const hidden = findHiddenMain(existsSync(path) ? readFileSync(path, "utf8") : "");
  if (hidden) throw new NoEntrypoint(`'${path}' has a function \`${hidden}\`, but doesn't export it.`);
  return null;
}

/** @param {unknown} value */
const isThing = (value) => value !== undefined && value !== null;

/** True for what a CommonJS module exports that exports nothing. @param {any} value */
const isEmpty = (value) => Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0;

/**
 * Returns the name of a function that a file declares as an agent's and neither exports nor calls.
 * @param {string} text
 */
function findHiddenMain(text) {
  const declared = /^(?:async\s+)?function\s*\*?\s*(main|run|handler|agent)\s*\(/m.exec(text)?.[1];
  return declared && text.split(new RegExp(`\\b${declared}\\b`)).length === 2 ? declared : null;
}

/** @param {string} path @param {string} name @param {unknown} found @param {string[]} names */
function describeUnusable(path, name, found, names) {
  if (found === undefined || found === null) {
    const has = names.length > 0 ? ` It exports ${names.slice(0, shownNames).join(", ")}.` : "";
    return `'${path}' has nothing to call that is named '${name}'.${has}`;
  }
  const kind =
    typeof found === "object" ? `an object of ${found.constructor?.name ?? "no class"}` : `a ${typeof found}`;
  return `Nothing is known that runs '${name}' of '${path}', which is ${kind}. Export a function \`main(input, context)\` that uses it.`;
}

/** @param {Function} found */
const isClass = (found) => /^class\b/.test(Function.prototype.toString.call(found));

/**
 * Returns the function that runs an agent's export: the function itself, bound to its `owner` where it has one, that of an object
 * of a known framework, or an object's `run`. Null for anything else.
 * @param {any} found
 * @param {object | null} owner
 * @returns {AgentFunction | null}
 */
function toFunction(found, owner) {
  const known = frameworkOf(found);
  if (known) return known;
  if (typeof found === "function") {
    if (isClass(found))
      return typeof found.prototype?.run === "function" ? (...given) => new found().run(...given) : null;
    return owner ? found.bind(owner) : found;
  }
  return typeof found?.run === "function" && Object.getPrototypeOf(found) !== Object.prototype
    ? found.run.bind(found)
    : null;
}

/**
 * Calls an agent's function, and sends what it yields. A function that makes a graph, an agent or an app is called for what it
 * makes.
 * @param {AgentFunction} main
 * @param {Context} context
 * @param {Stopping} [stopping]
 */
export async function callAgent(main, context, stopping) {
  const result = await drive(main(context.input, context), stopping);
  const made = frameworkOf(result);
  return made ? drive(made(context.input, context), stopping) : result;
}

/** How many iterators of the agent's were begun: each can be ended at its next yield. */
export const driving = { count: 0 };

/** @param {any} value */
const iteratorOf = (value) => value?.[Symbol.asyncIterator]?.() ?? (typeof value?.next === "function" ? value : null);

/**
 * What asks an iterator to end. `hasTurns`: steps give the process time to read the signal by themselves.
 * @typedef {{ signal?: AbortSignal, hasTurns?: boolean }} Stopping
 */

/**
 * Sends what an iterator yields. Returns its return value, or the value itself when it isn't an iterator. With a `signal`, an
 * iterator ends at its next yield after the abort, and the signal's reason is thrown.
 * @param {unknown} returned
 * @param {Stopping} [stopping]
 * @returns {Promise<unknown>}
 */
export async function drive(returned, { signal, hasTurns = false } = {}) {
  /** @type {any} An agent's value. */
  const value = await returned;
  const read = readerOf(value);
  if (read) return read();
  const iterator = iteratorOf(value);
  if (!iterator) return value;
  let count = 0;
  driving.count += 1;
  let turnedAt = 0;
  for (;;) {
    const { done, value: part } = await atPart(count, () => iterator.next());
    count += 1;
    if (done) return part;
    sendOutput(part);
    if (!signal) continue;
    // Lets the process read commands: an iterator that never waits would keep it from reading its cancel.
    if (!hasTurns && performance.now() - turnedAt >= 5) {
      await new Promise(setImmediate);
      turnedAt = performance.now();
    }
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
  if (error instanceof Continued) return { type: "continue", input_payload: error.input };
  if (error instanceof NoEntrypoint || error instanceof BadEntrypoint || error instanceof Nondeterminism)
    return {
      type: "error",
      code: error.code,
      error_type: error.constructor.name,
      message: error.message,
      traceback: null,
    };
  return { type: "error", code: "agent_error", ...describe(error) };
}
