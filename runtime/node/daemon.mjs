// Stays with its agent: loads the code once and hands it one message after another, while its `main` may run beside them.
//
// The protocol is that of ../python/_runfleet/daemon.py. Commands come on stdin, a JSON line each: first the start, then
// messages, cancels and a stop. Frames go to fd 3, each with the run id of its message in `to` (null: the daemon's own). What is
// printed outside of a message is the daemon's log.
//
// `onMessage(input, context)` is called for each message, one after another. Without it, and without a `main`, the function is
// called that a run of this agent would call. A `main` alone takes its messages itself:
// `for await (const message of context.messages()) message.reply(…)`.
//
// For a thread (`interactive`) this process keeps the memory between the thread's runs: each of them is executed here.
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { captureOutput, channel, writeFrame } from "./channel.mjs";
import { createContext, offerHelper, writeFiles } from "./context.mjs";
import { describe } from "./describe-error.mjs";
import { BadEntrypoint, callAgent, drive, findMain, loadModule, NoEntrypoint } from "./load-agent.mjs";
import { calledFor, Message } from "./message.mjs";
import { onUncaught } from "./on-uncaught.mjs";
import { useProxy } from "./use-proxy.mjs";

/** @import { AgentCode, AgentFunction, AgentModule, Context, RunRequest } from "./types.d.ts" */
/**
 * @typedef {AgentCode & Pick<RunRequest, "env" | "state_snapshot"> &
 *   { lifecycle: string, agent_id: string, user_id: string, version: string }} Start
 */
/** @typedef {(message: Message) => unknown} Act */

/** How long a `main` may take to end when the daemon is asked to. */
const stopGraceMs = 1_000;
const stopping = new AbortController();
const stopped = new Promise((resolve) => stopping.signal.addEventListener("abort", resolve));
/**
 * Messages that were not answered yet, by run id.
 * @type {Map<string, Message>}
 */
const unanswered = new Map();
/** @type {Message[]} */
const queued = [];
/** @type {((message: Message | null) => void)[]} */
const takers = [];
/** @type {Message | null} */
let lastTaken = null;
/** True once the agent has asked for a message. */
let hasAsked = false;
/** True when the agent is called once a message. Else all that it does between two messages belongs to the first of them. */
let isCalled = true;

/** @param {Message | null | undefined} message */
const unlessOver = (message) => (message && !message.isOver ? message : null);

/** Returns the message that the running code works for, or null. */
const current = () => unlessOver(isCalled ? calledFor.getStore() : lastTaken);

/** Waits for the next message. Returns null once the daemon is asked to end. */
async function take() {
  hasAsked = true;
  lastTaken =
    queued.shift() ??
    (await new Promise((/** @type {(message: Message | null) => void} */ resolve) =>
      stopping.signal.aborted ? resolve(null) : takers.push(resolve),
    ));
  return lastTaken;
}

/** Yields messages one by one, as they come. A message that was not answered when the next is asked for is answered with null. */
async function* messages() {
  for (let message; (message = await take()) !== null;) {
    try {
      message.open();
    } catch (error) {
      message.fail(error);
      continue;
    }
    yield message;
    message.reply();
  }
}

/**
 * Executes one message, which ends in every case.
 * @param {Message} message
 * @param {Act} act
 */
async function handle(message, act) {
  const { signal } = message.context;
  try {
    message.open();
    signal.throwIfAborted();
    // An error that nobody caught ends the message as well.
    message.reply(await Promise.race([act(message), message.over]));
  } catch (error) {
    message.fail(signal.aborted ? signal.reason : error);
  }
}

/** @param {Act} act */
async function handleAll(act) {
  for (let message; (message = await take()) !== null;) await calledFor.run(message, handle, message, act);
}

/** @param {NodeJS.ReadStream} source */
async function* readLines(source) {
  /** @type {(string | undefined)[]} */
  let parts = [];
  for await (const chunk of source.setEncoding("utf8")) {
    const [first, ...more] = String(chunk).split("\n");
    parts.push(first);
    for (const rest of more) {
      yield parts.join("");
      parts = [rest];
    }
  }
}

/**
 * Reads commands until the pipe ends, which means that the worker is gone.
 * @param {AsyncIterable<string>} lines
 * @param {{ directory: string | null, extras: Record<string, unknown> }} options
 */
async function readCommands(lines, options) {
  for await (const line of lines) {
    const { type, ...command } = JSON.parse(line);
    if (type === "message") {
      // A run has the state that comes with it: the process may have executed runs of other threads.
      if (isThread) channel.lastState = "";
      const message = new Message(command, options);
      unanswered.set(message.run_id, message);
      void message.over.then(() => unanswered.delete(message.run_id));
      const taker = takers.shift();
      if (taker) taker(message);
      else queued.push(message);
    } else if (type === "cancel") unanswered.get(command.run_id)?.cancel();
    else {
      stopping.abort();
      for (const taker of takers.splice(0)) taker(null);
    }
  }
  exit(1);
}

/**
 * Ends the process. Frames of the agent's exit handlers are dropped.
 * @param {number} code
 */
function exit(code) {
  channel.isClosed = true;
  process.exit(code);
}

/**
 * Logs the error and ends the process.
 * @param {unknown} error
 */
function fail(error) {
  const { message, traceback } = describe(error);
  writeFrame("log", { to: null, level: "error", stream: "agent", message: traceback ?? message });
  exit(1);
}

/** Ends the current message with an error that nobody caught, or with the process. */
function watchEnds() {
  /** @param {unknown} error */
  const end = (error) => {
    const message = current() ?? (isThread ? unlessOver(lastTaken) : null);
    if (message) message.fail(error);
    else fail(error);
  };
  onUncaught(end);
  process.on("exit", (code) => {
    if (channel.isClosed) return;
    if (code === 0) return current()?.reply();
    const fields = { error_type: "Exit", message: `exit ${code}`, traceback: null };
    return current()?.end({ type: "error", code: "agent_error", ...fields });
  });
}

/**
 * Runs a daemon's `main`. An AbortError after the daemon was asked to end is no error.
 * @param {AgentFunction} main
 * @param {Context} context
 */
async function runMain(main, context) {
  try {
    await drive(main(context.input, context), stopping);
  } catch (error) {
    if (!stopping.signal.aborted || /** @type {any} */ (error)?.name !== "AbortError") throw error;
  }
}

/**
 * Returns what a run of this agent would call; null where there is nothing.
 * @param {AgentModule} module
 */
function findCalled(module) {
  try {
    return findMain(module);
  } catch (error) {
    if (error instanceof NoEntrypoint) return null;
    throw error;
  }
}

/**
 * Serves a daemon's messages until it is asked to end, or until its `main` ends.
 * @param {Start} start
 * @param {Context} context
 */
async function serve(start, context) {
  const module = await loadModule(start);
  const { path, name, find } = module;
  const onMessage = find("onMessage") ?? find("on_message");
  const main = find(name && !/^on_?message$/i.test(name) ? name : "main");
  const called = onMessage ?? (main ? null : findCalled(module));
  if (!called && !main) throw new BadEntrypoint(`'${path}' has neither onMessage nor main.`);
  isCalled = called !== null;
  writeFrame("ready");
  const mainOver = main ? runMain(main, context) : null;
  if (called) {
    mainOver?.catch(fail);
    await handleAll((message) => callAgent(called, message.context, message.context));
  }
  await Promise.race([mainOver, stopped.then(() => sleep(stopGraceMs))]);
}

/**
 * Executes the runs of one thread, one after another, by the code that the first of them loads.
 * @param {Start} start
 */
async function serveThread(start) {
  /** @type {AgentFunction | null} */
  let main = null;
  let loads = 0;
  /** @param {Context} context */
  const execute = async (context) => {
    main ??= findMain(await loadModule(start, loads++));
    return main && callAgent(main, context, context);
  };
  writeFrame("ready");
  await handleAll((message) => {
    const { env } = message.context;
    const before = Object.keys(env).map((name) => /** @type {const} */ ([name, process.env[name]]));
    Object.assign(process.env, env);
    void message.over.then(() => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    });
    return execute(message.context);
  });
}

const lines = readLines(process.stdin);
/** @type {Start} */
const start = JSON.parse((await lines.next()).value ?? "");
const isThread = start.lifecycle === "interactive";
// The agent must not read the commands.
Object.defineProperty(process, "stdin", { value: Readable.from([]) });
channel.currentRunId = () => current()?.run_id ?? null;
channel.lastState = start.state_snapshot;
captureOutput();
useProxy();
watchEnds();
try {
  Object.assign(process.env, start.env);
  writeFiles(start.code);
  const { agent_id, user_id, version, env, state_snapshot } = start;
  const noRequest = {
    input_payload: {},
    files: {},
    history: [],
    metadata: {},
    answers: [],
    run_id: null,
    thread_id: null,
    attempt: 0,
  };
  const ownContext = createContext(
    { agent_id, user_id, version, env, state_snapshot, ...noRequest },
    { messages, signal: stopping.signal },
  );
  const currentContext = () => current()?.context ?? ownContext;
  offerHelper(
    new Proxy(ownContext, {
      get: (_own, name) => Reflect.get(currentContext(), name),
      set: (_own, name, value) => Reflect.set(currentContext(), name, value),
    }),
  );
  void readCommands(lines, { directory: isThread ? "." : null, extras: { messages } });
  await (isThread ? serveThread(start) : serve(start, ownContext));
  if (!hasAsked && !stopping.signal.aborted) writeFrame("unread", { to: null });
  exit(0);
} catch (error) {
  fail(error);
}
