// Finds what is to be called in an agent's code, calls it, and tells how it ended.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { sayOutput } from "./channel.mjs";
import { Interrupted } from "./context.mjs";
import { describe } from "./describe-error.mjs";
import { placeSyntaxError, readTypeScript } from "./read-typescript.mjs";

const candidates = ["main", "run", "handler", "agent", "graph", "default"];

class NoEntrypoint extends Error {
  code = "no_entrypoint";
}
export class BadEntrypoint extends Error {
  code = "bad_entrypoint";
}

/** The agent's module: `find` looks a name up among what it exports. `name` is the entrypoint's, if it has one. `again`: from 1, it is run anew. */
export async function loadModule({ entrypoint, type_stripper, code, files = {} }, again = 0) {
  if (!entrypoint) throw new NoEntrypoint("The agent has no code: neither its config nor the run's files name any.");
  const [path, name] = entrypoint.split(":");
  if (!/^[^/].*\.[mc]?[jt]s$/.test(path) || path.split("/").includes(".."))
    throw new BadEntrypoint(`'${entrypoint}' is not like file.js, file.ts or file.js:name.`);
  if (!existsSync(path)) throw new BadEntrypoint(`There is no file '${path}' among the agent's code.`);
  const sources = [path, ...Object.keys({ ...code, ...files })].filter((one) => /\.[mc]?[jt]s$/.test(one));
  if (sources.some((one) => one.endsWith("ts")) && !again) readTypeScript(type_stripper);
  process.argv = [process.argv[0], resolve(path)];
  const module = await import(`${pathToFileURL(resolve(path)).href}${again ? `?${again}` : ""}`).catch((error) => {
    if (error instanceof SyntaxError) placeSyntaxError(error, sources, type_stripper);
    throw error;
  });
  const object = module.default ?? {};
  const find = (wanted) =>
    callable(module[wanted], module[wanted] === object[wanted] ? object : null) ?? callable(object[wanted], object);
  return { path, name, find };
}

/** What a run calls; null for a module that is all there is to it. */
export function findMain({ path, name, find }) {
  if (!name) return candidates.map(find).find((found) => found !== null) ?? null;
  const found = find(name);
  if (found === null) throw new BadEntrypoint(`'${path}' has nothing to call that is named '${name}'.`);
  return found;
}

/** A function (of its `owner`, where it has one), or one around a LangGraph graph or LangChain runnable, by shape; null for anything else. */
function callable(found, owner) {
  if (typeof found === "function") return owner ? found.bind(owner) : found;
  if (typeof found?.stream !== "function" || typeof found.invoke !== "function") return null;
  return async function* (input, context) {
    let last = null;
    const stream = await found.stream(input, { configurable: { thread_id: context.thread_id ?? context.run_id } });
    for await (const part of stream) yield (last = part?.content ?? part);
    return last;
  };
}

/** Sends what an iterator yields; its return value, or the value itself, is the result. Where there is a `signal`, it ends at its next yield. */
export async function drive(returned, signal) {
  const value = await returned;
  const iterator = value?.[Symbol.asyncIterator]?.() ?? (typeof value?.next === "function" ? value : null);
  if (!iterator) return value;
  for (;;) {
    const { done, value: part } = await iterator.next();
    if (done) return part;
    sayOutput(part);
    if (!signal) continue;
    // One that yields without waiting for anything would keep us from hearing of its cancel.
    await new Promise(setImmediate);
    if (!signal.aborted) continue;
    await iterator.return?.();
    throw signal.reason;
  }
}

/** The last frame of a run that ended by an error. */
export function endingBy(error) {
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
