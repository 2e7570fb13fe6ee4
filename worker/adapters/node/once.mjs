// Runs one agent once: loads its code when it is told to, then reads the run's one JSON request from stdin to its end, and
// exits 0 with a result and 1 without.
import { syncBuiltinESMExports } from "node:module";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { channel, send, sendLast, takeOverStreams } from "./channel.mjs";
import { createContext, offerHelper, writeFiles } from "./context.mjs";
import { BadEntrypoint, drive, endingBy, findMain, loadModule } from "./load-agent.mjs";
import { useProxy } from "./use-proxy.mjs";

function finish(last) {
  if (channel.over) return;
  const well = sendLast(last);
  channel.over = true;
  process.exit(well ? 0 : 1);
}

const fail = (error) => finish(endingBy(error));

/** `process.exit()` in the agent, and a wait for what can never come, end the process past our own end. */
function watchExit() {
  process.on("exit", (code) => {
    if (channel.over || channel.held) return;
    if (code === 0 && !waiting) send("result", { result_content: null });
    else {
      const message = waiting && code !== 1 ? "The agent waits for something that never comes." : `exit ${code}`;
      send("error", { code: "agent_error", error_type: "Exit", message, traceback: null });
    }
  });
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    waiting = false;
    exit(code);
  };
}

const { parse } = JSON; // An agent may put another in its place.
let waiting = false;
const context = {};
const orders = process.stdin.setEncoding("utf8");
const stdin = orders[Symbol.asyncIterator]();
let unread = "";
// The orders are nothing that the agent could read.
Object.defineProperty(process, "stdin", { value: Readable.from([]) });

/** What stdin holds up to its next newline, or to its end. */
async function readLine() {
  let line = "";
  for (let part = unread; ;) {
    const end = part.indexOf("\n");
    if (end !== -1) {
      unread = part.slice(end + 1);
      return line + part.slice(0, end);
    }
    line += part;
    const next = await stdin.next();
    if (next.done) return line;
    part = next.value;
  }
}

/** `object` for code that is loaded ahead of its run: `note` is told of what it asks for, and what it changes. */
function noteUses(object, note) {
  const all = (target) => {
    note("*");
    return Reflect.ownKeys(target);
  };
  const told =
    (act) =>
    (target, name, ...more) => {
      note(String(name));
      return act(target, name, ...more);
    };
  return new Proxy(object, {
    get: told((target, name) => target[name]),
    set: told((target, name, value) => {
      target[name] = value;
      return true;
    }),
    deleteProperty: told(Reflect.deleteProperty),
    has: told(Reflect.has),
    getOwnPropertyDescriptor: told(Reflect.getOwnPropertyDescriptor),
    ownKeys: all,
  });
}

const counted = () => process.getActiveResourcesInfo().sort().join();

/** Loads the agent's module before its run is known. Answers it with what the worker must know of that. */
async function loadAhead(agent) {
  const env = process.env;
  const envRead = new Set();
  let askedForRun = false;
  channel.held = [];
  orders.unref(); // An import that waits for nothing else waits for what never comes.
  const noted = noteUses(env, (name) => envRead.add(name));
  process.env = noted;
  offerHelper(noteUses(context, () => (askedForRun = true)));
  syncBuiltinESMExports();
  let module = null;
  let raised = null;
  const before = counted();
  try {
    writeFiles(agent.code);
    module = await loadModule(agent);
    await nextTurn();
  } catch (error) {
    if (!(error instanceof BadEntrypoint)) raised = error?.name ?? typeof error;
  }
  const faults = [
    [askedForRun, "asks for its run"],
    [raised !== null, `raises ${raised}`],
    [channel.held.length > 0, "writes output"],
    [counted() !== before, "starts timers, threads or processes, or opens connections"],
  ];
  if (process.env === noted) process.env = env;
  syncBuiltinESMExports();
  channel.held = null;
  const found = faults.find(([is]) => is);
  send("loaded", {
    preloaded: module !== null,
    fault: found ? `it ${found[1]} when it is imported` : null,
    env_read: [...envRead],
  });
  orders.ref();
  channel.held = []; // What it says before its run comes, it says to nobody.
  return module;
}

takeOverStreams();
useProxy();
watchExit();
const order = await readLine();
if (order === "") process.exit(0); // The worker let this one go.
const agent = parse(order);
Object.assign(process.env, agent.env);
process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);
let module = null;
if (agent.preload) module = await loadAhead(agent);
else send("loaded", { preloaded: false, fault: null, env_read: [] });
const asked = await readLine();
if (asked === "") process.exit(0);
const request = parse(asked);
channel.held = null;
// What the code made of its version's variables when it was loaded stays.
for (const [name, value] of Object.entries(request.env))
  if (!module || agent.env[name] !== value) process.env[name] = value;
try {
  if (!module) writeFiles(agent.code);
  writeFiles(request.files);
  // The first of a run's last frames counts: a question stands, though the agent may catch what the call throws.
  const onAsk = (question) => send("interrupt", question);
  Object.assign(context, createContext(request, { onAsk }));
  if (!module) offerHelper(context);
  waiting = true;
  const main = findMain(module ?? (await loadModule(agent)));
  const result = main ? await drive(main(context.input, context)) : null;
  waiting = false;
  finish({ type: "result", result_content: result ?? null });
} catch (error) {
  waiting = false;
  fail(error);
}
