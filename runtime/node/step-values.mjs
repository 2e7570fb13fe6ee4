// What a journal keeps: values and errors as text, so that they come back as they were.

const entryLength = 1 << 20; // The longest result of a step, in bytes.
const maxMessageLength = 8 * 1024;
const valueTag = "$rf"; // The member that tells a value which JSON doesn't have from an object.
const maxValueDepth = 60;

/** The base of what durable calls throw. */
export class DurableError extends Error {
  /** @param {string} [message] */
  constructor(message) {
    super(message);
    this.name = new.target.name;
  }
}
/** A step's error after its last try: `name`, `message` and `code` are those of the original one. */
class StepFailed extends DurableError {
  type = "Error";
}
class StepTimeout extends DurableError {}
/** No signal came in the time that `waitFor` was given. */
class SignalTimeout extends DurableError {}
/** A run that the code has started did not succeed, or could not be started. */
class ChildFailed extends DurableError {}
class ResultNotJSON extends DurableError {}
class ResultTooLarge extends DurableError {}
class JournalFull extends DurableError {}
class DuplicateKey extends DurableError {}
class AmbiguousKey extends DurableError {}
class DurableCallInStep extends DurableError {}
/** Thrown in a step: the step is not tried again. */
class NonRetryable extends DurableError {}
/** Thrown in a step: the step is tried again after so many seconds. */
class RetryAfter extends DurableError {
  /** @param {number} seconds @param {string} [message] */
  constructor(seconds, message = `Try again after ${seconds} s.`) {
    super(message);
    this.seconds = Number(seconds);
    if (Number.isNaN(this.seconds)) throw new RangeError(`RetryAfter's seconds is a number, not ${String(seconds)}.`);
  }
}

/**
 * Refuses what is no finite number from 0 on. NaN and infinities have no JSON.
 * @param {unknown} value
 * @param {string} what
 */
export function checkNumber(value, what) {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return;
  throw new RangeError(`${what} is a finite number from 0 on, not ${String(value).slice(0, 200)}.`);
}

/** What an agent may import of the module `runfleet` beside its functions. */
export const stepErrors = {
  DurableError,
  StepFailed,
  StepTimeout,
  SignalTimeout,
  ChildFailed,
  ResultNotJSON,
  ResultTooLarge,
  JournalFull,
  DuplicateKey,
  AmbiguousKey,
  DurableCallInStep,
  NonRetryable,
  RetryAfter,
};

/**
 * Returns a value as JSON can express it. Throws ResultNotJSON, which names the place and the cure.
 * @param {any} value
 * @param {{ what: string, place: string, depth: number }} at
 * @returns {unknown}
 */
function keepValue(value, at) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (at.depth > maxValueDepth) throw refuseValue("a value that is nested too deep or in itself", at);
  if (typeof value === "number") {
    if (Number.isFinite(value)) return value;
    throw refuseValue(String(value), at);
  }
  if (value === undefined && at.depth === 0) return { [valueTag]: "undefined", value: null };
  if (typeof value !== "object") throw refuseValue(value === undefined ? "undefined" : `a ${typeof value}`, at);
  if (Array.isArray(value)) return value.map((item, index) => keepValue(item, deeper(at, `[${index}]`)));
  return keepObject(value, at);
}

/** @param {any} value @param {{ what: string, place: string, depth: number }} at */
function keepObject(value, at) {
  if (value instanceof Date) return { [valueTag]: "datetime", value: value.toISOString() };
  if (value instanceof Uint8Array) return { [valueTag]: "bytes", value: Buffer.from(value).toString("base64") };
  if (typeof value.toJSON === "function") return keepValue(value.toJSON(), deeper(at, ""));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw refuseValue(`an object of ${prototype.constructor?.name ?? "a class"}`, at);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const kept = Object.fromEntries(entries.map(([name, item]) => [name, keepValue(item, deeper(at, `.${name}`))]));
  return valueTag in kept ? { [valueTag]: "dict", value: kept } : kept;
}

/** @param {{ what: string, place: string, depth: number }} at @param {string} step */
const deeper = ({ what, place, depth }, step) => ({ what, place: place + step, depth: depth + 1 });

/** @param {string} found @param {{ what: string, place: string }} at */
const refuseValue = (found, { what, place }) =>
  new ResultNotJSON(
    `${what} returned ${found} at ${place}, which can't be kept. Return strings, numbers, booleans, null, arrays, plain objects, Date or Uint8Array.`,
  );

/**
 * Returns a value as text. Throws ResultNotJSON or ResultTooLarge.
 * @param {unknown} value
 * @param {string} what
 */
export function encodeValue(value, what) {
  const text = JSON.stringify(keepValue(value, { what, place: "$", depth: 0 }));
  const size = Buffer.byteLength(text);
  if (size <= entryLength) return text;
  throw new ResultTooLarge(
    `${what} returned ${size} bytes; a step may return ${entryLength}. Store the value elsewhere and return where it is.`,
  );
}

/** @param {string | undefined} text */
export const decodeValue = (text) => (text === undefined ? undefined : restoreValue(JSON.parse(text)));

/**
 * @param {any} value
 * @returns {unknown}
 */
function restoreValue(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(restoreValue);
  if (!(valueTag in value)) return restoreMembers(value);
  const { [valueTag]: kind, value: kept } = value;
  if (kind === "dict") return restoreMembers(kept);
  if (kind === "bytes") return new Uint8Array(Buffer.from(kept, "base64"));
  return kind === "undefined" ? undefined : new Date(kept);
}

/** @param {Record<string, unknown>} value */
const restoreMembers = (value) =>
  Object.fromEntries(Object.entries(value).map(([name, item]) => [name, restoreValue(item)]));

/** @param {any} error */
export function describeStepError(error) {
  const code = typeof error?.code === "string" ? error.code.slice(0, 200) : "";
  const type = String(error?.name ?? typeof error).slice(0, 200) || "Error";
  return { type, module: code, message: String(error?.message ?? error).slice(0, maxMessageLength) };
}

/**
 * Returns an error of the journal: the same on every attempt.
 * @param {{ type: string, module: string, message: string }} error
 */
export function rebuildStepError({ type, module: code, message }) {
  const Own = /** @type {Record<string, any>} */ (stepErrors)[type];
  const rebuilt = Own ? Object.assign(Object.create(Own.prototype), new StepFailed(message)) : new StepFailed(message);
  return Object.assign(rebuilt, { name: type, message, type, ...(code && { code }) });
}
