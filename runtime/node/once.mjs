// Runs one agent once: loads its code when it is told to, then reads the run's one JSON request from stdin to its end, and
// exits 0 with a result and 1 without.
import { Readable } from "node:stream";
import { channel, send, sendLast, takeOverStreams } from "./channel.mjs";
import { createContext, offerHelper, writeFiles } from "./context.mjs";
import { drive, endingBy, findMain, loadModule } from "./load-agent.mjs";
import { loadAhead } from "./load-ahead.mjs";
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
if (agent.preload) module = await loadAhead(agent, { context, orders });
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
