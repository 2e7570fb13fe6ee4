// A rehearsal of a durable run on an author's machine: tests with mocked steps, and recorded journals over changed code. Whoever
// rehearses plays the worker.
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFrame } from "./channel.mjs";
import { decodeValue, stepErrors } from "./step-values.mjs";

/** @import { KeptEntry } from "./types.d.ts" */

/** What a mocked step ends as: JSON text, or an error. @typedef {{ result?: string, error?: { type: string, message?: string } }} Outcome */

/**
 * `mocks`: what steps of a name end as, one after the other, the last one again and again. `only_recorded`: no step is done.
 * @param {{ mocks?: Record<string, Outcome[]>, only_recorded?: boolean }} given
 */
export function createRehearsal({ mocks = {}, only_recorded = false }) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return {
    onlyRecorded: only_recorded,

    /** @param {{ key: string, name: string, branch: string, position: number }} place */
    placed: (place) => void writeFrame("call.placed", { ...place, at: lineOfCall() }),

    /** Returns what is done instead of a step's function; undefined: nothing is. @param {string} name @param {Map<string, KeptEntry>} entries */
    mockOf(name, entries) {
      if (Object.hasOwn(mocks, name)) return () => nextOf(name);
      // The time as the code would find it if it had waited.
      return name === "now" ? () => new Date(Date.now() + skippedOf(entries)) : undefined;
    },
  };

  /** @param {string} name */
  function nextOf(name) {
    const outcomes = mocks[name] ?? [];
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    const { result, error } = outcomes[Math.min(count, outcomes.length - 1)] ?? {};
    if (error) throw errorOf(error);
    return decodeValue(result);
  }
}

/** @param {Map<string, KeptEntry>} entries */
const skippedOf = (entries) => Math.max(0, ...[...entries.values()].map(({ skipped_ms = 0 }) => skipped_ms));

/** @param {{ type: string, message?: string }} error */
function errorOf({ type, message = "" }) {
  const known = /** @type {any} */ ({ ...globalThis, Error, TypeError, RangeError, ...stepErrors })[type];
  if (type === "RetryAfter") return new known(Number(message));
  return typeof known === "function" ? new known(message) : Object.assign(new Error(message), { name: type });
}

/** Returns where the author's code makes the call. */
function lineOfCall() {
  const places = (new Error().stack ?? "").split("\n").flatMap((line) => {
    const [, file = "", number = ""] = /\(?((?:file:\/\/)?\/[^()]*?):(\d+):\d+\)?$/.exec(line) ?? [];
    return file === "" ? [] : [{ path: file.startsWith("file://") ? fileURLToPath(file) : file, number }];
  });
  const own = dirname(places[0]?.path ?? "");
  const found = places.find(({ path }) => dirname(path) !== own && !path.includes("/node_modules/runfleet/"));
  return found ? `${relative(process.cwd(), found.path)}:${found.number}` : null;
}
