// Runs one agent once: reads one JSON request from stdin, exits 0 with a result and 1 without.
import { channel, send, sendLast, takeOverStreams } from "./channel.mjs";
import { createContext, offerHelper, writeFiles } from "./context.mjs";
import { drive, endingBy, findMain, loadModule } from "./load-agent.mjs";

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
    if (channel.over) return;
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

let waiting = false;
let input = "";
process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) input += chunk;
if (input === "") process.exit(0); // The worker let this one go.
const request = JSON.parse(input);
Object.assign(process.env, request.env);
takeOverStreams();
watchExit();
process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);
try {
  writeFiles(request.code);
  writeFiles(request.files);
  const context = createContext(request);
  offerHelper(context);
  waiting = true;
  const main = findMain(await loadModule(request));
  const result = main ? await drive(main(context.input, context)) : null;
  waiting = false;
  finish({ type: "result", result_content: result ?? null });
} catch (error) {
  waiting = false;
  fail(error);
}
