// Runs an agent once. The first line of stdin names the code, which may be loaded ahead; the second line is the run's request.
// Exits with 0 after a result and with 1 after anything else.
import { Readable } from "node:stream";
import { captureOutput, channel, writeEnding, writeFrame } from "./channel.mjs";
import { createContext, offerHelper, writeFiles } from "./context.mjs";
import { keepCheckpoints } from "./graph-checkpoints.mjs";
import { callAgent, driving, endingOf, findMain, loadModule } from "./load-agent.mjs";
import { loadAhead } from "./load-ahead.mjs";
import { onUncaught } from "./on-uncaught.mjs";
import { beginSteps, endUnderWay, runInTurn, usesSteps } from "./steps.mjs";
import { useProxy } from "./use-proxy.mjs";

/** @import { AgentCode, Context, Frame, Question, RunRequest } from "./types.d.ts" */

/** @param {Frame} last */
function finish(last) {
  if (channel.isClosed || isAsking) return;
  const endedWell = writeEnding(last);
  channel.isClosed = true;
  process.exit(endedWell ? 0 : 1);
}

/** @param {unknown} error */
const fail = (error) => finish(endingOf(error));

/** Reports a run whose process ends before its result: by `process.exit()` in the agent, or because nothing is left to wait for. */
function reportEarlyExit() {
  process.on("exit", (code) => {
    if (channel.isClosed || channel.heldFrames) return;
    if (code === 0 && !isRunning) writeFrame("result", { result_content: null });
    else {
      const message = isRunning && code !== 1 ? "The agent waits for something that never comes." : `exit ${code}`;
      writeFrame("error", { code: "agent_error", error_type: "Exit", message, traceback: null });
    }
  });
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    isRunning = false;
    return exit(code);
  };
}

/**
 * Asks the agent to end when SIGTERM comes: aborts `context.signal`. An agent that can't hear of it is over at once: one that never
 * asked for the signal, has no handler of its own and yields nothing.
 * @param {Context} context
 */
function listenForStop(context) {
  const stopping = new AbortController();
  let hears = false;
  Object.defineProperty(context, "signal", {
    enumerable: true,
    get() {
      hears = true;
      return stopping.signal;
    },
  });
  const handlers = process.listenerCount("SIGTERM");
  process.on("SIGTERM", () => {
    const reason = new Error("The run was asked to end.");
    reason.name = "AbortError";
    stopping.abort(reason);
    if (!hears && !driving.count && process.listenerCount("SIGTERM") <= handlers + 1) fail(reason);
  });
  return stopping.signal;
}

const { parse } = JSON; // An agent may replace it.
let isRunning = false;
/** True while a run that ends with a question keeps what its other flows have under way. */
let isAsking = false;
/** Filled when the run's request is there; code that is loaded ahead may hold it before. */
const context = /** @type {Context} */ ({});
const commands = process.stdin.setEncoding("utf8");
const chunks = /** @type {AsyncIterator<string>} */ (commands[Symbol.asyncIterator]());
let unread = "";
// The agent must not read the commands.
Object.defineProperty(process, "stdin", { value: Readable.from([]) });

/** Returns what stdin holds up to its next newline, or to its end. */
async function readLine() {
  let line = "";
  for (let part = unread; ;) {
    const end = part.indexOf("\n");
    if (end !== -1) {
      unread = part.slice(end + 1);
      return line + part.slice(0, end);
    }
    line += part;
    const next = await chunks.next();
    if (next.done) return line;
    part = next.value;
  }
}

captureOutput();
useProxy();
reportEarlyExit();
const firstLine = await readLine();
if (firstLine === "") process.exit(0); // The worker let this process go before it was needed.
/** @type {AgentCode & { env: Record<string, string>, preload: boolean }} */
const agent = parse(firstLine);
Object.assign(process.env, agent.env);
onUncaught(fail);
let module = null;
if (agent.preload) module = await loadAhead(agent, { context, commands });
else writeFrame("loaded", { preloaded: false, fault: null, env_read: [] });
const secondLine = await readLine();
if (secondLine === "") process.exit(0);
/** @type {RunRequest} */
const request = parse(secondLine);
commands.unref(); // What the worker may answer keeps no process alive.
channel.heldFrames = null;
// A module that was loaded ahead may have changed the variables of its version: they are set only where the run's differ.
for (const [name, value] of Object.entries(request.env))
  if (!module || agent.env[name] !== value) process.env[name] = value;
try {
  if (!module) writeFiles(agent.code);
  writeFiles(request.files);
  const isDurable = request.journal !== undefined || usesSteps({ ...agent.code, ...request.files });
  // The question is sent at once, so it ends the run even where the agent catches what `interrupt` throws.
  const onAsk = (/** @type {Question} */ question) => {
    if (!isDurable) return void writeFrame("interrupt", question);
    if (isAsking) return;
    isAsking = true;
    void endUnderWay().then(() => {
      isAsking = false;
      finish({ type: "interrupt", ...question });
    });
  };
  Object.assign(context, createContext(request, { onAsk }));
  const signal = listenForStop(context);
  if (!module) offerHelper(context);
  isRunning = true;
  if (isDurable) {
    const keepAlive = (/** @type {boolean} */ on) => void (on ? commands.ref() : commands.unref());
    beginSteps({
      runId: String(request.run_id),
      kept: request.journal,
      rehearsal: request["rehearsal"],
      readLine,
      keepAlive,
      fail,
    });
  }
  if (request["rehearsal"] === undefined) keepCheckpoints(request.checkpoints);
  const main = findMain(module ?? (await loadModule(agent)));
  if (main) {
    const call = () => callAgent(main, context, { signal, hasTurns: isDurable });
    const result = await (isDurable ? runInTurn(call) : call());
    isRunning = false;
    finish({ type: "result", result_content: result ?? null });
  } else isRunning = false; // A script ends when nothing is left to do.
} catch (error) {
  isRunning = false;
  fail(error);
}
