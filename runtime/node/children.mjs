// Runs that the code starts: it waits for them, or leaves them to themselves.
import { rebuildStepError } from "./step-values.mjs";
import { checkActive, checkRoom, journal, placeCall } from "./steps.mjs";
import { promiseWaits, waitAll } from "./wait-conditions.mjs";
import { checkInput, waitAt } from "./waits.mjs";

/** @import { ChildOptions, KeptEntry } from "./types.d.ts" */

const mostChildren = 1_000;

/**
 * A call that starts runs. Each of them has a key of its own.
 * @param {string} what
 * @param {unknown} agent
 * @param {{ key?: string | number, version?: string }} options
 */
function placeChildren(what, agent, { key, version = "current" }) {
  checkActive("Calls of other agents");
  if (typeof agent !== "string" || typeof version !== "string")
    throw new TypeError(`${what}() takes the id of an agent and the name of a version as text.`);
  const name = `${what} ${agent}`.slice(0, 128);
  const place = placeCall(name, key === undefined ? {} : { key });
  return { name, ...place, fields: { agent_id: agent, version } };
}

/** What a run has come to. @param {KeptEntry} entry */
function readChild({ ok, result, error, child }) {
  if (ok) return { result: JSON.parse(result ?? "null") };
  const failed = rebuildStepError(error ?? { type: "ChildFailed", module: "", message: "" });
  const { run_id = null, status = null, code = null } = child ?? {};
  return { error: Object.assign(failed, { run_id, status, code }) };
}

/** @param {any} read */
function unwrapChild({ result, error }) {
  if (error) throw error;
  return result;
}

/**
 * @param {string} what
 * @param {string} agent
 * @param {unknown} input
 * @param {{ options: ChildOptions, detached: boolean }} how
 */
function startOne(what, agent, input, { options, detached }) {
  options.signal?.throwIfAborted();
  const given = checkInput(input, `${what}()'s input`);
  const { fields, ...place } = placeChildren(what, agent, options);
  const frame = { type: "child.open", ...fields, input: given, detached, concurrency: null };
  const { signal } = options;
  const end = waitAt(place, { frame, read: readChild, ...(signal && { signal }) });
  return promiseWaits([place.key], end, unwrapChild);
}

/** The context's calls of other agents. */
export const childMethods = {
  /**
   * Runs another agent, and gives its run's result. Throws ChildFailed when that run doesn't succeed.
   * @param {string} agent
   * @param {object | null} [input]
   * @param {ChildOptions} [options]
   */
  runAgent: (agent, input, options = {}) => startOne("run_agent", agent, input, { options, detached: false }),
  /**
   * Starts a run of another agent, which goes on by itself, and gives its id.
   * @param {string} agent
   * @param {object | null} [input]
   * @param {ChildOptions} [options]
   */
  startAgent: (agent, input, options = {}) => startOne("start_agent", agent, input, { options, detached: true }),
  /**
   * Runs another agent once for each input, and gives the results in the order of the inputs. `concurrency`: so many at once. The
   * first input's error is thrown when all have ended; `return_errors`: errors stand among the results.
   * @param {string} agent
   * @param {Iterable<object | null>} inputs
   * @param {ChildOptions & { concurrency?: number, return_errors?: boolean }} [options]
   */
  map(agent, inputs, { concurrency, return_errors = false, signal, ...options } = {}) {
    signal?.throwIfAborted();
    const given = [...inputs].map((input, number) => checkInput(input, `map()'s input ${number}`));
    if (given.length > mostChildren)
      throw new RangeError(`map() takes at most ${mostChildren} inputs, not ${given.length}.`);
    if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency > 0 && concurrency <= mostChildren))
      throw new RangeError(`map() takes a concurrency from 1 to ${mostChildren}, not ${concurrency}.`);
    const { fields, name, ...place } = placeChildren("map", agent, options);
    const parts = given.map((input, number) => ({ input, key: `${place.key}[${number}]` }));
    checkRoom(name, parts.filter(({ key }) => !journal.entries.has(key)).length);
    const limit = concurrency === undefined ? null : { group: place.key, most: concurrency };
    const waits = parts.map(({ input, key }) => {
      journal.used.add(key);
      const frame = { type: "child.open", ...fields, input, detached: false, concurrency: limit };
      return waitAt({ name, ...place, key }, { frame, read: readChild, ...(signal && { signal }) });
    });
    const read = (/** @type {any[]} */ ended) =>
      return_errors ? ended.map(({ result, error }) => error ?? result) : ended.map(unwrapChild);
    const keys = parts.map(({ key }) => key);
    return promiseWaits(keys, waitAll(waits), read);
  },
};
