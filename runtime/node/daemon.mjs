// Stays with its agent: loads the code once, lets its `main` run on and hands it one message after another.
//
// It speaks as ../python/daemon.py does. Commands come on stdin, a JSON line each: first the start, then messages, cancels and
// a stop. Frames go to fd 3, each with the message that it belongs to in `to` (null: the daemon's own). What is printed
// outside of a message is the daemon's log.
//
// `onMessage(input, context)` is called for each message in order, while a `main`, if there is one as well, goes on beside it.
// With no `main` either, whatever a run of this agent would call is called for each message. A `main` alone takes its messages
// itself: `for await (const message of context.messages()) message.reply(…)`.
//
// For a thread (`interactive`) it is the memory between the thread's runs: each of them is played here as any run is.
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { channel, send, takeOverStreams } from "./channel.mjs";
import { createContext, offerHelper, writeFiles } from "./context.mjs";
import { describe } from "./describe-error.mjs";
import { BadEntrypoint, drive, findMain, loadModule } from "./load-agent.mjs";
import { calledFor, Message } from "./message.mjs";
import { useProxy } from "./use-proxy.mjs";

/** How long a `main` may take to end when the daemon is asked to. */
const letGoMs = 1_000;
const stopping = new AbortController();
const stopped = new Promise((resolve) => stopping.signal.addEventListener("abort", resolve));
/** Messages that were not answered yet, by run id. */
const open = new Map();
const waiting = [];
const takers = [];
let atHand = null;
/** Whether messages are handed over by calls; else what is done while one is at hand is done for it. */
let byCalls = true;

const unlessOver = (message) => (message && !message.isOver ? message : null);

/** The message that what is done now is done for. */
const current = () => unlessOver(byCalls ? calledFor.getStore() : atHand);

/** The next message, when there is one; null once the daemon is asked to end. */
async function take() {
  const next =
    waiting.shift() ??
    (await new Promise((resolve) => (stopping.signal.aborted ? resolve(null) : takers.push(resolve))));
  atHand = next;
  return next;
}

/** Messages one by one, as they come. One that was not answered when the next is asked for is answered with null. */
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

/** Plays one message, which ends in every case. */
async function handle(message, act) {
  const { signal } = message.context;
  try {
    message.open();
    signal.throwIfAborted();
    // An error that nobody caught ends it as well.
    message.reply(await Promise.race([act(message), message.over]));
  } catch (error) {
    message.fail(signal.aborted ? signal.reason : error);
  }
}

async function handleAll(act) {
  for (let message; (message = await take()) !== null;) await calledFor.run(message, handle, message, act);
}

async function* readLines(source) {
  let parts = [];
  for await (const chunk of source.setEncoding("utf8")) {
    const [first, ...more] = chunk.split("\n");
    parts.push(first);
    for (const rest of more) {
      yield parts.join("");
      parts = [rest];
    }
  }
}

/** The pipe's end means that the worker is gone. */
async function hearCommands(lines, options) {
  for await (const line of lines) {
    const { type, ...command } = JSON.parse(line);
    if (type === "message") {
      const message = new Message(command, options);
      open.set(message.run_id, message);
      void message.over.then(() => open.delete(message.run_id));
      if (takers.length > 0) takers.shift()(message);
      else waiting.push(message);
    } else if (type === "cancel") open.get(command.run_id)?.cancel();
    else {
      stopping.abort();
      for (const taker of takers.splice(0)) taker(null);
    }
  }
  leave(1);
}

/** Nothing of a daemon's comes after this. */
function leave(code) {
  channel.over = true;
  process.exit(code);
}

/** Says why it ends. */
function fail(error) {
  const { message, traceback } = describe(error);
  send("log", { to: null, level: "error", stream: "agent", message: traceback ?? message });
  leave(1);
}

function watchEnds() {
  const end = (error) => {
    const message = current() ?? (isThread ? unlessOver(atHand) : null);
    if (message) message.fail(error);
    else fail(error);
  };
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
  process.on("exit", (code) => {
    if (channel.over) return;
    if (code === 0) return current()?.reply();
    const exit = { error_type: "Exit", message: `exit ${code}`, traceback: null };
    return current()?.end({ type: "error", code: "agent_error", ...exit });
  });
}

/** A `main` that runs on. That it ends because it was asked to is no error. */
async function runOn(main, context) {
  try {
    await drive(main(context.input, context), stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted || error?.name !== "AbortError") throw error;
  }
}

async function serve(start, context) {
  const module = await loadModule(start);
  const { path, name, find } = module;
  const onMessage = find("onMessage") ?? find("on_message");
  const main = find(name && !/^on_?message$/i.test(name) ? name : "main");
  const called = onMessage ?? (main ? null : findMain(module));
  if (!called && !main) throw new BadEntrypoint(`'${path}' has neither onMessage nor main.`);
  byCalls = called !== null;
  send("ready");
  const mainOver = main ? runOn(main, context) : null;
  if (called) {
    mainOver?.catch(fail);
    await handleAll((message) => drive(called(message.input, message.context), message.context.signal));
  }
  await Promise.race([mainOver, stopped.then(() => sleep(letGoMs))]);
}

async function serveThread(start) {
  let main = null;
  let loads = 0;
  const play = async ({ input, context }) => {
    main ??= findMain(await loadModule(start, loads++));
    return main && drive(main(input, context), context.signal);
  };
  send("ready");
  await handleAll((message) => {
    const before = Object.keys(message.context.env).map((name) => [name, process.env[name]]);
    Object.assign(process.env, message.context.env);
    void message.over.then(() => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    });
    return play(message);
  });
}

const lines = readLines(process.stdin);
const start = JSON.parse((await lines.next()).value);
const isThread = start.lifecycle === "interactive";
// The commands are nothing that the agent could read.
Object.defineProperty(process, "stdin", { value: Readable.from([]) });
channel.speaker = () => current()?.run_id ?? null;
channel.lastState = start.state_snapshot;
takeOverStreams();
useProxy();
watchEnds();
try {
  Object.assign(process.env, start.env);
  writeFiles(start.code);
  const { agent_id, user_id, version, env, state_snapshot } = start;
  const nothing = {
    input_payload: {},
    files: {},
    history: [],
    metadata: {},
    answers: [],
    run_id: null,
    thread_id: null,
    attempt: 0,
  };
  const own = createContext(
    { agent_id, user_id, version, env, state_snapshot, ...nothing },
    { messages, signal: stopping.signal },
  );
  const contextNow = () => current()?.context ?? own;
  const set = (_own, name, value) => Reflect.set(contextNow(), name, value);
  offerHelper(new Proxy(own, { get: (_own, name) => contextNow()[name], set }));
  void hearCommands(lines, { directory: isThread ? "." : null, extras: { messages } });
  await (isThread ? serveThread(start) : serve(start, own));
  leave(0);
} catch (error) {
  fail(error);
}
