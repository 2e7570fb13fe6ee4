// Steps of a durable run: what the code does once, however often its run starts again. A step's place is the last durable call
// of the same asynchronous flow, its name, and how many calls of that name came from there.
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, hash as digest } from "node:crypto";
import { channel, writeFrame } from "./channel.mjs";
import { createRehearsal } from "./rehearsal.mjs";
import { followSignals } from "./signal-timeouts.mjs";
import { checkPaths, packFiles, unpackFiles } from "./step-files.mjs";
import {
  checkNumber,
  decodeValue,
  describeStepError,
  DurableError,
  encodeValue,
  rebuildStepError,
  stepErrors,
} from "./step-values.mjs";
import { conditionsOf, followPromises } from "./wait-conditions.mjs";

/** @import { KeptForAgent, KeptEntry, StepOptions, StepTry } from "./types.d.ts" */

const mostEntries = 10_000;
const mostBytes = 64 * 1024 * 1024;
const noticeAt = 0.8;
const nameLength = 128;
const longestDelayMs = 24 * 3_600_000;
/** So long an entry that nobody asks for holds up those behind it. */
const holdMs = 30;
/** How often it is looked whether what is under way has ended. */
const lookMs = 5;
const ownedTypes = new Set(["output", "log", "progress", "tool.start", "tool.end", "artifact", "custom"]);
const neverRetried = ["NonRetryable", "ResultNotJSON", "ResultTooLarge", "DurableCallInStep", "JournalFull"];

/**
 * Where a flow of the code is. `node`: its last durable call, which came after `branch`. `before`: where it was when it made the call before
 * that one, if that was not answered then. `isLeft`: the flow made another call, or joined others, before `node` was answered: what goes on
 * from here is a flow that it has started. `isResumed`: that one has made a call. `until`: what stands there and before it is of other flows.
 * `isJoin`: the flow waits for several promises, `width` of them; false: it has gone on to do so, and what goes on from here are flows that it
 * has started. `step`: the try that the flow is in.
 * @typedef {{ node: string, branch?: string, before?: Flow | undefined, isLeft?: boolean, isResumed?: boolean, until?: Flow | undefined, isJoin?: boolean, width?: number, isBranch?: boolean | undefined, step?: any }} Flow
 */
const flows = /** @type {AsyncLocalStorage<Flow>} */ (new AsyncLocalStorage());

/** The code made another durable call than in an earlier attempt. */
export class Nondeterminism extends Error {
  code = "nondeterminism";
}

/** What `continueAs` throws to end the code. */
export class Continued extends Error {
  /** @param {object} input */
  constructor(input) {
    super("The run goes on as a fresh one.");
    this.input = input;
  }
}

/** @param {string} text */
const hash = (text) => digest("sha256", text);

export const journal = {
  active: false,
  runId: "",
  /** @type {Map<string, KeptEntry>} */
  entries: new Map(),
  /** Keys, in the order of their commits. @type {string[]} */
  order: [],
  /** How many of them are handed out or passed by. */
  next: 0,
  /** Keys that were passed by and may be asked for later. @type {Set<string>} */
  passed: new Set(),
  /** The keys of earlier attempts. @type {Set<string>} */
  earlier: new Set(),
  /** Those of them that the code asks for again. What came after a failed step that is done anew may be left out. @type {Set<string>} */
  certain: new Set(),
  /** Keys of entries of the run that is run again. @type {Set<string>} */
  copied: new Set(),
  /** @type {Map<string, { resolve: (value: unknown) => void, reject: (error: unknown) => void, read?: (entry: KeptEntry) => unknown, takes?: boolean }>} `takes`: the entry takes signals or messages. */
  slots: new Map(),
  /** @type {Map<string, [number, number]>} */
  tries: new Map(),
  /** @type {Set<string>} */
  settled: new Set(),
  /** What was sent and is not committed yet. @type {Map<string, KeptEntry>} */
  sent: new Map(),
  /** @type {Set<string>} */
  used: new Set(),
  /** The call that each call came after. @type {Map<string, string>} */
  parents: new Map(),
  /** Of calls that have failed, and of all before them, one that has failed. @type {Map<string, string>} */
  failures: new Map(),
  /** The calls of a name from a place. @type {Map<string, { count: number, isForeign: boolean, isRacy: boolean, last: string }>} */
  uses: new Map(),
  /** @type {Map<string, number>} */
  chances: new Map(),
  /** Steps that wait until the entries of earlier attempts are handed out. @type {{ key: string, name: string, begin: () => void }[]} */
  deferred: [],
  /** Steps that are not done. @type {Map<string, Promise<unknown>>} */
  open: new Map(),
  /** Waits that have not ended, by key. @type {Set<string>} */
  waits: new Set(),
  /** Steps that wait for their next try: when it begins, in ms since 1970. @type {Map<string, number>} */
  retries: new Map(),
  /** How many lines the worker has sent since the request. */
  received: 0,
  /** True from when nothing was left to do but to wait, until something comes. */
  isIdle: false,
  /** The process stays while the run waits. */
  isWarm: false,
  isToldWhyBusy: false,
  /** Begins the keys of what is done since the run went on as a fresh one. */
  leg: "",
  /** The run ends with a question: no step is begun any more. */
  isAsking: false,
  /** The run goes on as a fresh one, whatever its code still does. @type {Continued | null} */
  continued: null,
  /** Segments that are complete, for the next frame. @type {string[]} */
  closes: [],
  /** The entry that is being handed out; null in what other waits set going. @type {string | null} */
  turn: null,
  hasSpoken: false,
  isPumping: false,
  looks: 0,
  since: 0,
  inFlight: 0,
  size: 0,
  count: 0,
  isNoticed: false,
  /** How many resources of Node stay for the whole run. */
  resources: 0,
  isHolding: false,
  /** Keeps the process alive or not. @type {(on: boolean) => void} */
  keepAlive: () => {},
  isKept: false,
  /** @type {(error: unknown) => void} */
  fail: () => {},
  /** On an author's machine only. @type {ReturnType<typeof createRehearsal> | null} */
  rehearsal: null,
};

/**
 * Begins a durable run. `kept`: what earlier attempts have kept. `readLine` gives the worker's answers.
 * @param {{ runId: string, kept: KeptForAgent | undefined, rehearsal?: any, readLine: () => Promise<string>, keepAlive: (on: boolean) => void, fail: (error: unknown) => void }} run
 */
export function beginSteps({ runId, kept, rehearsal, readLine, keepAlive, fail }) {
  Object.assign(journal, { active: true, runId, keepAlive, fail });
  if (rehearsal) journal.rehearsal = createRehearsal(rehearsal);
  if (kept) goOnWith(kept);
  channel.segmentOf = segmentOf;
  channel.onReport = noteReport;
  journal.resources = countResources();
  process.on("beforeExit", sayIdle);
  followPromises(noteJoin);
  followSignals();
  void readAnswers(readLine);
}

/** @param {KeptForAgent} kept */
function goOnWith({ entries, tries, segments, count, certain = entries.length, leg = "" }) {
  for (const [index, entry] of entries.entries()) {
    addEntry(entry);
    if (index < certain) journal.certain.add(entry.key);
    journal.earlier.add(entry.key);
    if (entry.copied) journal.copied.add(entry.key);
  }
  for (const [key, number, at] of tries) journal.tries.set(key, [number, at]);
  Object.assign(journal, { settled: new Set(segments), count, leg });
}

/** @param {() => Promise<string>} readLine */
async function readAnswers(readLine) {
  for (;;) {
    const line = await readLine();
    if (line === "") return;
    const { type, key, entry: given } = JSON.parse(line);
    if (type === "leave") leaveProcess();
    journal.received += 1;
    journal.isIdle = false;
    // An entry that somebody else has made is given as a whole.
    const entry = given ?? journal.sent.get(key);
    if (!entry || journal.entries.has(key)) {
      keepWhileBusy();
      continue;
    }
    journal.sent.delete(key);
    journal.waits.delete(key);
    addEntry(entry);
    pump();
  }
}

/** @param {KeptEntry} entry */
function addEntry(entry) {
  journal.entries.set(entry.key, entry);
  journal.order.push(entry.key);
  journal.size += (entry.result?.length ?? 0) + (entry.files?.length ?? 0) + (entry.error?.message.length ?? 0);
}

/** The process stays while an entry is on its way. Beyond that Node itself tells when nothing else is pending. */
export function keepWhileBusy() {
  const isKept = journal.sent.size > 0 || journal.isPumping || journal.deferred.length > 0 || journal.isIdle;
  if (isKept === journal.isKept) return;
  journal.isKept = isKept;
  journal.keepAlive(isKept);
}

/**
 * Called when nothing in this process can make the code go on. The worker may end the process then, which waits only for what the
 * service knows.
 */
function sayIdle() {
  const isWaiting = journal.waits.size > 0 || journal.retries.size > 0;
  if (!isWaiting || journal.inFlight > 0 || journal.sent.size > 0 || journal.isPumping || journal.deferred.length > 0)
    return;
  const wakes_at = journal.retries.size > 0 ? Math.min(...journal.retries.values()) : null;
  const conditions = conditionsOf((key) => journal.waits.has(key));
  if (!journal.isWarm) writeFrame("idle", { seen: journal.received, wakes_at, conditions });
  journal.isIdle = true;
  keepWhileBusy();
}

const tellAfterMs = 5_000;

/** Says once what keeps the process of a run that waits. */
export function watchBusy() {
  if (journal.isToldWhyBusy) return;
  journal.isToldWhyBusy = true;
  setTimeout(() => {
    const names = [...new Set(process.getActiveResourcesInfo().filter((name) => !/^(?:Pipe|Immediate)/.test(name)))];
    if (journal.waits.size > 0 && !journal.isIdle && names.length > 0)
      warn(`The run waits and keeps its process, because of what else is open: ${names.join(", ")}.`);
  }, tellAfterMs).unref();
}

/** Ends the process, which the run doesn't need while it waits: nothing of the code's is executed. */
function leaveProcess() {
  channel.isClosed = true;
  /** @type {any} */ (process).reallyExit(0);
}

/** Resources that may set code going, such as timers and sockets. */
const countResources = () =>
  process.getActiveResourcesInfo().filter((name) => name !== "Immediate" && name !== "CheckHandle").length -
  (journal.isKept ? 1 : 0);
const isForeignBusy = () => countResources() - journal.resources - (journal.isHolding ? 1 : 0) > 0;

/**
 * The segment of a frame. What is said while an entry is handed out is said again on every attempt, right after the same entry.
 * What other waits set going belongs to a segment that never settles: it is void when the run starts again, and said again.
 * @param {string} type
 * @returns {string | null | undefined}
 */
function segmentOf(type) {
  if (!ownedTypes.has(type)) return undefined;
  const step = flows.getStore()?.step;
  if (step) return step.isOver ? null : `${step.key}~${step.number}`;
  if (journal.turn === null) return "other";
  const segment = `turn ${journal.turn}`;
  if (journal.settled.has(segment)) return null;
  journal.hasSpoken = true;
  return segment;
}

/** Does `act` as what the entry of `key` sets going, which is over when nothing is left to do at once. @param {string} key @param {() => void} act @param {() => void} [then] */
function inTurn(key, act, then) {
  setImmediate(() => {
    journal.turn = key;
    act();
  });
  setImmediate(() => {
    if (journal.hasSpoken) journal.closes.push(`turn ${journal.turn}`);
    journal.turn = null;
    journal.hasSpoken = false;
    then?.();
  });
}

/** Notes what a step reports: it is reported again on each attempt that comes to the step. @param {string} type @param {Record<string, any>} fields */
function noteReport(type, fields) {
  const reports = flows.getStore()?.step?.reports;
  if (!reports) return;
  if (type === "state") reports.state = fields.state_snapshot;
  else reports.usage = { ...reports.usage, ...fields };
}

/** Hands out the entries in their order, one at a time. */
export function pump() {
  if (journal.isPumping) return;
  Object.assign(journal, { isPumping: true, looks: 0, since: performance.now() });
  keepWhileBusy();
  setImmediate(look);
}

/** @param {string} key */
const isSpent = (key) =>
  journal.entries.get(key)?.kind === "abandoned" || (journal.used.has(key) && !journal.slots.has(key));

function look() {
  for (const key of journal.passed) {
    if (isSpent(key)) journal.passed.delete(key);
    else if (journal.slots.has(key)) {
      journal.passed.delete(key);
      return handOut(key);
    }
  }
  const { order } = journal;
  while (journal.next < order.length && isSpent(order[journal.next] ?? "")) journal.next += 1;
  const key = order[journal.next];
  if (key === undefined) return rest();
  if (journal.slots.has(key)) {
    journal.next += 1;
    return handOut(key);
  }
  const isAwaited = journal.deferred.length > 0 || order.slice(journal.next).some((other) => journal.slots.has(other));
  if (!isAwaited) return rest();
  return passBy(key);
}

/** Nobody asks for the entry of `key`, and somebody waits behind it. @param {string} key */
function passBy(key) {
  const isBusy = isForeignBusy() || journal.inFlight > 0 || journal.sent.size > 0;
  journal.isHolding = false;
  if (isBusy && performance.now() - journal.since < holdMs) {
    journal.looks = 0;
    setTimeout(() => {
      journal.isHolding = true;
      look();
    }, holdMs / 4);
    return;
  }
  journal.looks += 1;
  if (!isBusy && journal.looks < 3) return void setImmediate(look);
  if (!isBusy && journal.deferred.length > 0 && journal.certain.has(key)) return diverge(key);
  journal.next += 1;
  journal.passed.add(key);
  Object.assign(journal, { looks: 0, since: performance.now() });
  setImmediate(look);
}

/** @param {string} key */
function diverge(key) {
  const before = journal.entries.get(key)?.name ?? "";
  const [first] = journal.deferred;
  if (first && journal.copied.has(key)) {
    leaveCopied(first.key, first.name, before);
    return void setImmediate(look);
  }
  const now = journal.deferred.map(({ name }) => `'${name}'`).join(", ");
  journal.fail(
    new Nondeterminism(
      `An earlier attempt called step '${before}' here and this one calls ${now}. Code between durable calls must not depend on time, chance, the environment or what was read elsewhere: take those from context.now(), random(), uuid() or a step.`,
    ),
  );
}

/** Goes on without what is left of the run that is run again. @param {string} key @param {string} name @param {string} before */
function leaveCopied(key, name, before) {
  const drops = [...journal.copied].filter((other) => other === key || !journal.used.has(other));
  for (const dropped of drops) {
    journal.copied.delete(dropped);
    journal.entries.delete(dropped);
    journal.earlier.delete(dropped);
    journal.certain.delete(dropped);
    journal.passed.delete(dropped);
    journal.tries.delete(dropped);
  }
  const rest = journal.order.splice(journal.next).filter((other) => journal.entries.has(other));
  journal.order.push(...rest);
  writeFrame("replay.diverged", { key, name, before, drops });
}

function rest() {
  journal.isPumping = false;
  if (journal.next >= journal.order.length) for (const { begin } of journal.deferred.splice(0)) begin();
  keepWhileBusy();
}

/** @param {string} key */
function handOut(key) {
  Object.assign(journal, { looks: 0, since: performance.now() });
  const give = () => {
    const slot = journal.slots.get(key);
    const entry = journal.entries.get(key);
    journal.slots.delete(key);
    noteFailure(entry);
    // What a run has come to says more than an error's text.
    if (entry?.ok || (entry?.child && slot?.read))
      slot?.resolve(slot.read ? slot.read(entry) : decodeValue(entry.result));
    else if (entry?.error) slot?.reject(rebuildStepError(entry.error));
  };
  const { state, usage } = journal.earlier.has(key) ? (journal.entries.get(key) ?? {}) : {};
  if (state !== undefined) writeFrame("state", { state_snapshot: state });
  if (usage !== undefined) writeFrame("usage", usage);
  if (journal.copied.has(key)) writeFrame("step.copied", { key, closes: journal.closes.splice(0, 16) });
  inTurn(key, give, look);
}

/**
 * Begins a durable call. Returns its key, its number and the call that it comes after.
 * @param {string} name
 * @param {StepOptions} options
 */
export function placeCall(name, options) {
  const flow = flows.getStore();
  refuseInStep(`step '${name}'`);
  checkText(name, "name");
  const parent = flow?.node ?? mainNode();
  const place =
    options.key === undefined ? placeByFlow(name, parent, flow?.isBranch === true) : placeByKey(name, options.key);
  if (!journal.entries.has(place.key)) checkRoom(name, 0);
  journal.used.add(place.key);
  const { branch, isAfter } = placeBehind(place.key, options);
  journal.rehearsal?.placed({ ...place, name, branch: parent });
  return { key: place.key, branch, position: isAfter ? place.position : 0 };
}

/**
 * Moves the flow on to a call. Returns the call that this one comes after. `isAfter`: that is the flow's call before it. A call that is not
 * answered yet stands beside this one, as in Promise.all: what it comes to has no part in it. @param {string} key @param {StepOptions} options
 */
function placeBehind(key, options) {
  const flow = flows.getStore() ?? { node: mainNode() };
  const parent = flow.node;
  const isBeside = isOpen(parent);
  const origin = (isBeside && journal.parents.get(parent)) || parent;
  journal.parents.set(key, origin);
  if (flow.isLeft) resumeFlow(flow);
  const failure = isOwnFlow(flow, options) ? undefined : failureBefore(flow);
  const branch = failure ?? (isBeside ? (flow.branch ?? origin) : parent);
  const before = isBeside ? flow : flow.before;
  flows.enterWith({ node: key, branch, before, until: flow.until, isBranch: flow.isBranch });
  if (isBeside) flow.isLeft = true;
  return { branch, isAfter: !isBeside && failure === undefined };
}

/** True for a call that is not answered yet: the next one stands beside it, as in Promise.all. @param {string} call */
function isOpen(call) {
  const { slots } = journal;
  // A call of several runs has a slot for each.
  return slots.has(call) || [...slots.keys()].some((key) => key.startsWith(`${call}[`));
}

/** The flow is about to wait for so many promises. What has its old place is a flow that it has started. @param {number} width */
function noteJoin(width) {
  const flow = flows.getStore();
  if (!flow) return;
  flows.enterWith({ ...flow, isLeft: false, isResumed: false, isJoin: true, width });
  flow.isJoin = false;
  if (isOpen(flow.node)) flow.isLeft = true;
}

/**
 * A flow goes on that another one has started. The calls that it joined are its own, and those before them, up to where another such flow
 * has gone on. @param {Flow} flow
 */
function resumeFlow(flow) {
  flow.isResumed = true;
  let other = flow.before;
  for (let own = flow.width ?? 1; other && other !== flow.until && (own > 1 || !other.isResumed); own -= 1)
    other = other.before;
  flow.until = other;
}

/** Notes a call that has failed: what its flow does now, and what has started that flow, may know of it. @param {KeptEntry | undefined} entry */
function noteFailure(entry) {
  if (!entry || entry.ok || !["step", "child", "child_failed"].includes(entry.kind)) return;
  // The runs of a map have its key, and a number.
  const failed = entry.key.replace(/\[\d+\]$/, "");
  /** @type {string | undefined} */
  let call = failed;
  for (; call !== undefined && !journal.failures.has(call); call = journal.parents.get(call))
    journal.failures.set(call, failed);
}

/**
 * Returns a failed call that the flow's next one may depend on: of those that stand beside each other, and of what came after them. A retry
 * does the one anew with the other. @param {Flow} flow
 */
function failureBefore(flow) {
  if (journal.failures.size === 0) return undefined;
  for (let at = /** @type {Flow | undefined} */ (flow); at && at !== flow.until; at = at.before) {
    const failure = journal.failures.get(at.node);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** True for a call of a flow that begins with another wait and so has a key. @param {Flow} flow @param {StepOptions} options */
const isOwnFlow = (flow, { key }) => key !== undefined && journal.turn === null && !flow.before && !flow.isJoin;

/** @param {string} what */
export function refuseInStep(what) {
  const step = flows.getStore()?.step;
  if (step)
    throw new stepErrors.DurableCallInStep(
      `${what} was called inside of step '${step.name}'. A step is one unit: make '${step.name}' a plain function, whose steps are kept one by one, or call the plain function here`,
    );
}

const mainNode = () => `main${journal.leg}`;

/** @param {string} name @param {unknown} given */
function placeByKey(name, given) {
  const key = `${journal.leg}=${name}:${checkText(String(given), "key")}`;
  if (journal.used.has(key))
    throw new stepErrors.DuplicateKey(`step '${name}' with key '${String(given)}' was called twice in this run`);
  return { key, position: 0 };
}

/**
 * A second call of a name from one place means two flows. Their order is fixed when entries drive them, or when one has awaited
 * the other. It is a race when both come from other waits and the earlier call is not answered yet.
 * @param {string} name @param {string} parent @param {boolean} isBranch
 */
function placeByFlow(name, parent, isBranch) {
  const from = `${parent}\0${name}`;
  const use = journal.uses.get(from) ?? { count: 0, isForeign: false, isRacy: false, last: "" };
  const isForeign = journal.turn === null;
  const cure = `Two flows that wait for something else call step '${name}', and their order is not fixed. Give each a key, context.step(name, fn, { key }), or a place of its own, context.branch(name, fn).`;
  if (use.count > 0 && isForeign && use.isForeign && journal.slots.has(use.last))
    throw new stepErrors.AmbiguousKey(cure);
  if (use.count > 0 && isForeign && use.isRacy && !isBranch) warn(cure);
  const key = `${name}#${hash(`${from}\0${use.count + 1}`).slice(0, 16)}`;
  const isRacy = isForeign && (journal.inFlight > 0 || isForeignBusy());
  journal.uses.set(from, { count: use.count + 1, isForeign, isRacy, last: key });
  return { key, position: use.count };
}

/** @param {string} name @param {number} more So many entries beside its own. */
export function checkRoom(name, more) {
  const full = Math.max((journal.count + more) / mostEntries, journal.size / mostBytes);
  const has = `the run's journal has ${journal.count} entries and ${journal.size} bytes`;
  if (full >= 1)
    throw new stepErrors.JournalFull(
      `Step '${name}' was not begun: ${has}; it may have ${mostEntries} entries and ${mostBytes} bytes.`,
    );
  if (full < noticeAt || journal.isNoticed) return;
  journal.isNoticed = true;
  warn(`The run's journal is ${Math.round(full * 100)} % full: ${has}.`);
}

/** @param {unknown} text @param {string} what */
function checkText(text, what) {
  if (typeof text === "string" && text.length > 0 && text.length <= nameLength && text.isWellFormed()) return text;
  throw new RangeError(`A step's ${what} is a text of 1 to ${nameLength} characters.`);
}

/** @param {string} message */
const warn = (message) => void writeFrame("log", { level: "warn", stream: "agent", message });

/** @param {unknown} name @param {unknown} fn */
function checkCall(name, fn) {
  if (typeof name !== "string" || typeof fn !== "function")
    throw new TypeError('context.step("name", async (step) => …): the name comes first');
  checkActive("Steps");
}

/** @param {string} what */
export function checkActive(what) {
  if (journal.active) return;
  throw new DurableError(
    `${what} need a process of their own run, and code of the agent's own files that says \`.step\` or, say, \`context.sleep(\`. They are not there for daemons, interactive threads and versions with \`reuse\`, and not while the code is loaded.`,
  );
}

/**
 * @param {string} name
 * @param {(step: StepTry) => unknown} fn
 * @param {StepOptions} [options]
 */
function doStep(name, fn, options = {}) {
  checkCall(name, fn);
  const retry = readRetry(options.retry);
  if (options.timeout_ms !== undefined) checkNumber(options.timeout_ms, `The timeout_ms of step '${name}'`);
  const files = checkPaths(options.files ?? [], `Step '${name}'`);
  const { key, position, branch } = placeCall(name, options);
  const result = new Promise((resolve, reject) => journal.slots.set(key, { resolve, reject }));
  journal.open.set(key, result);
  const forget = () => void journal.open.delete(key);
  result.then(forget, forget);
  const args = options.args ? hash(JSON.stringify(options.args)).slice(0, 16) : null;
  compareArgs(key, name, args);
  const known = journal.entries.get(key);
  if (known?.files !== undefined) {
    unpackFiles(known.files);
    delete known.files;
  }
  const work = journal.rehearsal?.mockOf(name, journal.entries) ?? fn;
  const call = { key, name, fn: work, options, files, retry, args, branch, position, reports: {} };
  const begin = () => beginStep(call);
  if (known) pump();
  // Nothing new is done before the entries of earlier attempts are handed out: another way is seen before it costs anything.
  else if (journal.next < journal.order.length || journal.isPumping) {
    journal.deferred.push({ key, name, begin });
    pump();
  } else begin();
  return result;
}

/** Tells of other arguments than in an earlier attempt. @param {string} key @param {string} name @param {string | null} args */
function compareArgs(key, name, args) {
  const isOther = (journal.entries.get(key)?.args ?? args) !== args && args !== null;
  if (isOther && journal.copied.has(key)) leaveCopied(key, name, name);
  else if (isOther) warn(`Step '${name}' has other arguments than in an earlier attempt; its kept result is used.`);
}

/** @param {Call} call */
function beginStep(call) {
  if (journal.isAsking) return;
  if (journal.rehearsal?.onlyRecorded) holdStep(call.key, call.name);
  else void driveStep(call).catch(journal.fail);
}

/** A rehearsal of what is recorded waits for other steps instead of doing them. @param {string} key @param {string} name */
function holdStep(key, name) {
  journal.waits.add(key);
  writeFrame("step.held", { key, name });
  keepWhileBusy();
}

/** @param {StepOptions["retry"]} given */
function readRetry(given = {}) {
  const {
    max_attempts = 1,
    delay_ms = 1_000,
    factor = 2,
    max_delay_ms = Math.max(60_000, delay_ms),
    on,
    ...other
  } = given;
  const [unknown] = Object.keys(other);
  if (unknown !== undefined)
    throw new TypeError(`A step's retry has no '${unknown}'; it has max_attempts, delay_ms, factor, max_delay_ms, on.`);
  // Infinity is no bound.
  const numbers = max_delay_ms === Infinity ? { delay_ms, factor } : { delay_ms, factor, max_delay_ms };
  for (const [name, value] of Object.entries(numbers)) checkNumber(value, `A step's retry.${name}`);
  return { max_attempts, delay_ms, factor, max_delay_ms, on };
}

/** The ms until the next try; null: there is none. @param {any} error @param {number} number @param {ReturnType<typeof readRetry>} retry */
function delayOf(error, number, { max_attempts, delay_ms, factor, max_delay_ms, on }) {
  if (number >= max_attempts || neverRetried.includes(error?.name)) return null;
  if (error instanceof stepErrors.RetryAfter) return Math.min(Math.max(error.seconds * 1_000, 0), longestDelayMs);
  if (on && !(error instanceof stepErrors.StepTimeout) && !on.some((kind) => error instanceof kind)) return null;
  return Math.min(delay_ms * factor ** (number - 1), max_delay_ms, longestDelayMs);
}

/** @typedef {{ key: string, name: string, fn: (step: StepTry) => unknown, options: StepOptions, files: string[], retry: ReturnType<typeof readRetry>, args: string | null, branch: string, position: number, reports: { state?: string, usage?: Record<string, number> } }} Call */

/** Does the tries of a step, until one is sent to be kept. @param {Call} call */
async function driveStep(call) {
  let [number, retryAt] = journal.tries.get(call.key) ?? [1, 0];
  for (;;) {
    const wait = retryAt - Date.now();
    if (wait > 0) await pauseStep(call.key, retryAt);
    if (journal.isAsking) return;
    journal.inFlight += 1;
    const { key, name } = call;
    writeFrame("step.start", { key, name, try: number, closes: journal.closes.splice(0, 16) });
    const ended = await tryStep(call, number).finally(() => (journal.inFlight -= 1));
    const asked = "error" in ended ? delayOf(ended.error, number, call.retry) : null;
    const delay = asked !== null && journal.rehearsal ? 0 : asked;
    sendEnd(call, number, { ...ended, delay });
    if (delay === null) return;
    retryAt = Date.now() + delay;
    number += 1;
  }
}

/** The run ends with a question: resolves when what its flows have under way is kept. Nothing new is begun. */
export async function endUnderWay() {
  journal.isAsking = true;
  while (journal.inFlight > 0 || journal.sent.size > 0) await new Promise((resolve) => setTimeout(resolve, lookMs));
}

/** Waits for a step's next try. The process need not be there meanwhile. @param {string} key @param {number} at */
async function pauseStep(key, at) {
  journal.retries.set(key, at);
  await new Promise((resolve) => setTimeout(() => resolve(null), at - Date.now()).unref());
  journal.retries.delete(key);
  journal.isIdle = false;
  keepWhileBusy();
}

/**
 * @param {Call} call
 * @param {number} number
 * @returns {Promise<{ result: string, files?: string } | { error: unknown }>}
 */
async function tryStep({ key, name, fn, options, files, reports }, number) {
  /** Made when somebody asks for it: few steps do. @type {AbortController | undefined} */
  let controller;
  const makeController = () => (controller ??= new AbortController());
  const step = { key, name, number, isOver: false, reports };
  const handle = {
    key,
    name,
    number,
    get signal() {
      return makeController().signal;
    },
    idempotencyKey: hash(`${journal.runId}\0${key}`).slice(0, 32),
  };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  try {
    const work = flows.run({ node: key, step }, async () => fn(handle));
    const limit = (/** @type {number} */ ms) =>
      new Promise((_, reject) => {
        timer = setTimeout(
          () => {
            const error = new stepErrors.StepTimeout(`Step '${name}' ran over its timeout_ms of ${ms}.`);
            step.isOver = true;
            reject(error);
            makeController().abort(error);
          },
          Math.min(ms, longestDelayMs),
        );
      });
    const { timeout_ms } = options;
    const value = await (timeout_ms === undefined ? work : Promise.race([work, limit(timeout_ms)]));
    const result = encodeValue(value, `step '${name}'`);
    return files.length === 0 ? { result } : { result, files: packFiles(files, `Step '${name}'`, !journal.rehearsal) };
  } catch (error) {
    return { error };
  } finally {
    clearTimeout(timer);
    step.isOver = true;
  }
}

/** @param {Call} call @param {number} number @param {({ result: string, files?: string } | { error: unknown }) & { delay: number | null }} ended */
function sendEnd({ key, name, branch, position, args, reports }, number, ended) {
  const { delay } = ended;
  const outcome =
    "error" in ended ? { ok: false, error: describeStepError(ended.error) } : { ok: true, result: ended.result };
  const entry = { key, kind: "step", name, branch, position, args, ...outcome };
  if (delay === null) journal.sent.set(key, entry);
  journal.count += 1;
  keepWhileBusy();
  const closes = journal.closes.splice(0, 16);
  const files = "files" in ended ? { files: ended.files } : {};
  const more = delay === null ? { ...files, ...reports } : { retry_in_ms: delay };
  writeFrame("step.end", { ...entry, try: number, closes, ...more });
}

/** 32 bytes that are the same on every attempt, and others at each call. */
function chance() {
  if (!journal.active) throw new DurableError("uuid() and random() need a run of its own process.");
  const flow = flows.getStore();
  const at = flow?.step ? `${flow.step.key}~${flow.step.number}` : (flow?.node ?? mainNode());
  const count = (journal.chances.get(at) ?? 0) + 1;
  journal.chances.set(at, count);
  return createHash("sha256").update(`${journal.runId}\0${at}\0${count}`).digest();
}

/** Returns a place of its own for what the flow makes there, the same on every attempt. @param {string} what */
export function placeCount(what) {
  const from = `${flows.getStore()?.node ?? mainNode()}\0\0${what}`;
  const count = (journal.chances.get(from) ?? 0) + 1;
  journal.chances.set(from, count);
  return hash(`${from}\0${count}`).slice(0, 16);
}

/**
 * Returns by what a durable run knows a question; an empty list in other runs. Its words come first, which are the same on every attempt.
 * What entries set going asks in a fixed order: its number there is the other one, for a question whose words have changed. Of flows that
 * are joined, or that other waits set going, only the words tell which one asks. @param {string | null} text @returns {string[]}
 */
export function keysOfQuestion(text) {
  if (!journal.active) return [];
  const words = placeCount(`question ${hash(text ?? "")}`);
  const isOrdered = journal.turn !== null && flows.getStore()?.isJoin !== false;
  return isOrdered ? [words, placeCount("question")] : [words];
}

/** The context's durable calls. */
export const stepMethods = {
  step: doStep,
  /** Gives a flow that begins with another wait a place of its own. @param {string} name @param {() => unknown} fn */
  branch(name, fn) {
    const id = `${journal.leg}branch:${checkText(String(name), "branch")}`;
    if (journal.used.has(id)) throw new stepErrors.DuplicateKey(`The branch '${name}' was begun twice in this run.`);
    journal.used.add(id);
    journal.parents.set(id, flows.getStore()?.node ?? mainNode());
    return flows.run({ node: id, isBranch: true }, fn);
  },
  /** The time of the first attempt that came here. */
  now: () => doStep("now", () => new Date()),
  random: () => chance().readUIntBE(0, 6) / 2 ** 48,
  uuid() {
    const bytes = chance().subarray(0, 16);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  },
};

/** Forgets what waits for an entry: no attempt answers it. @param {string} key */
export function giveUp(key) {
  journal.slots.delete(key);
  journal.waits.delete(key);
  const known = journal.entries.get(key);
  if (known?.kind !== "abandoned") writeFrame("wait.abandon", { key });
  if (known) known.kind = "abandoned";
}

/**
 * Runs a durable run's code. Output before the first durable call has a fixed order, as output after each entry has.
 * @template T
 * @param {() => Promise<T>} run
 * @returns {Promise<T>}
 */
export async function runInTurn(run) {
  const ended = new Promise((/** @type {(value: T) => void} */ resolve, reject) => {
    inTurn("main", () => flows.run({ node: mainNode() }, () => void run().then(resolve, reject)));
  });
  const value = await ended.catch((error) => {
    if (!journal.continued) throw error;
  });
  if (journal.open.size > 0) {
    warn("The agent's function returned while steps were under way; the run waits for them.");
    await Promise.allSettled(journal.open.values());
  }
  // What still waits takes no signal and no message any more. In a fresh run nothing waits for the runs that this one has started.
  for (const [key, { takes }] of journal.slots) if (takes || (journal.continued && journal.waits.has(key))) giveUp(key);
  if (journal.continued) throw journal.continued;
  return /** @type {T} */ (value);
}

/**
 * Asks an agent's iterator for its next part. Each part is a place of its own.
 * @template T
 * @param {number} count
 * @param {() => T} next
 * @returns {T}
 */
export const atPart = (count, next) =>
  journal.active && count > 0 ? flows.run({ node: `part ${count}${journal.leg}` }, next) : next();

const stepWords =
  /\.step\b|\bstep\(|\b(?:context|ctx)\.(?:now|uuid|random|sleep|sleepUntil|waitFor|signalUrl|newMessages|steering|keepWarm|continueAs|runAgent|startAgent|map)\(|\b(?:waitFor|newMessages|steering|keepWarm|continueAs|runAgent|startAgent)\(/;

/** `import { sleep } from "runfleet"`, or the like. */
const importedCalls =
  /import\s*\{[^}]*\b(?:step|branch|now|uuid|random|sleep|sleepUntil|waitFor|signalUrl|newMessages|steering|keepWarm|continueAs|runAgent|startAgent|map)\b[^}]*\}\s*from\s*["']runfleet["']/;

const ownScript = /^(?!(?:.*\/)?node_modules\/).*\.[mc]?[jt]sx?$/;

/** Returns a script without what a bundle has of packages: a bundle names each file before its text. @param {string} text */
const withoutPackages = (text) =>
  text
    .split(/^(?=\/\/ )/m)
    .filter((part) => !/^\/\/ (?:\(disabled\):)?node_modules\//.test(part))
    .join("");

/**
 * Whether an agent's own scripts may use steps. Its flows must be followed from its first line on then.
 * @param {Record<string, string>} files
 */
export const usesSteps = (files) =>
  Object.entries(files).some(([name, script]) => {
    const text = ownScript.test(name) ? withoutPackages(script) : "";
    return stepWords.test(text) || importedCalls.test(text);
  });
