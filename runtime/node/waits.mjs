// Waits of a durable run: what the code waits for, that the service knows of. They outlive the process.
import { toJson, writeFrame } from "./channel.mjs";
import { keepForTimeout } from "./signal-timeouts.mjs";
import { describeStepError, DurableError, stepErrors } from "./step-values.mjs";
import {
  checkActive,
  Continued,
  giveUp,
  journal,
  keepWhileBusy,
  placeCall,
  pump,
  refuseInStep,
  watchBusy,
} from "./steps.mjs";
import { WaitPromise, waitFirst } from "./wait-conditions.mjs";

/** @import { Fields, KeptEntry, WaitOptions } from "./types.d.ts" */

const longestSeconds = 10 * 365 * 86_400;
const mostNames = 16;
const inputBytes = 3 << 20;
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$/;

/** @param {unknown} input @param {string} what */
export function checkInput(input, what) {
  if (input === undefined || input === null) return {};
  if (typeof input !== "object" || Array.isArray(input))
    throw new TypeError(`${what} is an object, the fields of an agent's input.`);
  if (Buffer.byteLength(toJson(input)) > inputBytes) throw new RangeError(`${what} has at most ${inputBytes} bytes.`);
  return input;
}

/** What was sent to a run is plain JSON. @param {KeptEntry} entry */
const payloadOf = ({ result }) => JSON.parse(result ?? "null");

/**
 * Waits for what the service knows of.
 * @param {string} name
 * @param {WaitOptions} options
 * @param {{ frame: Fields & { type: string }, read: (entry: KeptEntry) => unknown }} wait
 */
function wait(name, { key, signal }, { frame, read }) {
  signal?.throwIfAborted();
  const place = placeCall(name, key === undefined ? {} : { key });
  return waitAt({ name, ...place }, { frame, read, ...(signal && { signal }) });
}

/**
 * Opens the wait of a call, or of a part of one.
 * @param {{ name: string, key: string, position: number, branch: string }} place
 * @param {{ frame: Fields & { type: string }, read: (entry: KeptEntry) => unknown, signal?: AbortSignal }} wait
 */
export function waitAt({ name, key, position, branch }, { frame: { type, ...fields }, read, signal }) {
  const known = journal.entries.get(key);
  const result = new WaitPromise((resolve, reject) => {
    const takes = type === "messages.take" || fields["kind"] === "signal";
    // One that an earlier attempt has given up is given up again.
    const release = keepForTimeout(known && known.kind !== "abandoned" ? undefined : signal);
    const over = (/** @type {(value: any) => void} */ settle) => (/** @type {any} */ value) => {
      release();
      settle(value);
    };
    journal.slots.set(key, { resolve: over(resolve), reject: over(reject), read, takes });
    signal?.addEventListener("abort", () => abandon(key, signal.reason), { once: true });
  });
  result.keys = [key];
  if (known) pump();
  else {
    journal.waits.add(key);
    journal.count += 1;
    watchBusy();
    writeFrame(type, { key, name, branch, position, closes: journal.closes.splice(0, 16), ...fields });
  }
  keepWhileBusy();
  return result;
}

/** The code gives a wait up: no attempt answers it. @param {string} key @param {unknown} reason */
function abandon(key, reason) {
  const slot = journal.slots.get(key);
  if (!slot) return;
  giveUp(key);
  slot.reject(reason);
  keepWhileBusy();
}

/** @param {unknown} seconds @param {string} what */
function checkSeconds(seconds, what) {
  if (typeof seconds !== "number" || Number.isNaN(seconds))
    throw new TypeError(`${what} takes seconds as a number, not ${String(seconds).slice(0, 200)}.`);
  if (seconds > longestSeconds)
    throw new RangeError(`${what} takes at most ${longestSeconds} seconds, not ${seconds}.`);
  return Math.max(0, seconds);
}

/** @param {unknown} name */
function checkName(name) {
  if (typeof name === "string" && namePattern.test(name)) return name;
  throw new RangeError(`A signal's name is 1 to 128 letters, digits or . _ : @ -, not ${String(name).slice(0, 200)}.`);
}

/** The context's waits. */
export const waitMethods = {
  /** Waits so many seconds, also without a process. @param {number} seconds @param {WaitOptions} [options] */
  sleep(seconds, options = {}) {
    checkActive("Waits");
    const due = { kind: "timer", names: [], seconds: checkSeconds(seconds, "sleep()"), until: null };
    return wait("sleep", options, { frame: { type: "wait.open", ...due }, read: () => undefined });
  },
  /** Waits until a time. @param {Date | number} time Milliseconds since 1970, if it is a number. @param {WaitOptions} [options] */
  sleepUntil(time, options = {}) {
    checkActive("Waits");
    const until = Number(time);
    if (!(Math.abs(until) <= 8.64e15)) throw new TypeError("sleepUntil() takes a Date, or milliseconds since 1970.");
    const due = { kind: "timer", names: [], seconds: null, until: Math.max(0, until) };
    return wait("sleep", options, { frame: { type: "wait.open", ...due }, read: () => undefined });
  },
  /**
   * Waits for a signal, and returns what was sent with it; of several names, the earliest signal's `name` and `payload`. Throws
   * SignalTimeout when none came in so many seconds.
   * @param {string | string[]} names
   * @param {WaitOptions & { timeout?: number }} [options]
   */
  waitFor(names, { timeout, ...options } = {}) {
    checkActive("Waits");
    const asked = (Array.isArray(names) ? names : [names]).map(checkName);
    if (asked.length === 0 || asked.length > mostNames)
      throw new RangeError(`waitFor() takes 1 to ${mostNames} names of signals, not ${asked.length}.`);
    const seconds = timeout === undefined ? null : checkSeconds(timeout, "waitFor()'s timeout");
    const listed = asked.map((name) => `'${name}'`).join(" or ");
    const error = describeStepError(new stepErrors.SignalTimeout(`No signal ${listed} came within ${timeout} s.`));
    const frame = { type: "wait.open", kind: "signal", names: asked, seconds, until: null, error };
    const read = Array.isArray(names)
      ? (/** @type {KeptEntry} */ entry) => ({ name: entry.signal, payload: payloadOf(entry) })
      : payloadOf;
    return wait(`wait_for ${asked.join(",")}`.slice(0, 128), options, { frame, read });
  },
  /**
   * Returns an address to which anybody who has it may POST a signal. The same on every attempt.
   * @param {string} name
   * @param {{ key?: string | number, expires_in?: number }} [options] `expires_in`: in seconds.
   */
  signalUrl(name, { expires_in = 7 * 86_400, ...options } = {}) {
    checkActive("Waits");
    const expires_in_s = Math.max(1, checkSeconds(expires_in, "signalUrl()'s expires_in"));
    const frame = { type: "signal.url", signal: checkName(name), expires_in_s };
    return wait("signal_url", options, { frame, read: payloadOf });
  },
  /**
   * Waits until so many of several waits have ended well, and returns what they ended as, in that order. The others are given up.
   * Throws the error after which too few are left.
   * @param {number} count
   * @param {Iterable<unknown>} waits What `sleep`, `waitFor`, `runAgent` and `map` have returned.
   */
  first(count, waits) {
    checkActive("Waits");
    const given = [...waits];
    const promises = given.filter((one) => one instanceof WaitPromise);
    if (promises.length < given.length)
      throw new TypeError("first() takes what sleep(), waitFor(), runAgent() and map() have returned, as it is.");
    if (!Number.isInteger(count) || count < 1 || count > given.length)
      throw new RangeError(`first() takes a count from 1 to its number of waits, ${given.length}, not ${count}.`);
    return waitFirst(count, promises, (key) =>
      abandon(key, new DurableError("The wait was given up: others ended first.")),
    );
  },
  /**
   * Ends the code here, by an error that is to be let through. The run goes on from the first line with another input and an empty
   * journal.
   * @param {object | null} [input]
   * @returns {never}
   */
  continueAs(input) {
    checkActive("continueAs()");
    refuseInStep("continueAs()");
    const given = checkInput(input, "continueAs()'s input");
    journal.continued ??= new Continued(given);
    throw journal.continued;
  },
  /** Keeps the process while the run waits: for what is dear to load and is needed again soon. */
  keepWarm() {
    checkActive("Waits");
    journal.isWarm = true;
  },
  /** Returns what was said to the run since it was asked last, the oldest first, without waiting for more. @param {{ key?: string | number }} [options] */
  newMessages(options = {}) {
    checkActive("Messages");
    return wait("new_messages", options, { frame: { type: "messages.take" }, read: payloadOf });
  },
};
