// Loads an agent's module ahead of its run, and finds out whether that run can have it so.
import { syncBuiltinESMExports } from "node:module";
import { setImmediate as nextTurn } from "node:timers/promises";
import { channel, send } from "./channel.mjs";
import { offerHelper, writeFiles } from "./context.mjs";
import { BadEntrypoint, loadModule } from "./load-agent.mjs";

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

/**
 * Loads the agent's module before its run is known, and tells the worker what it must know of that. `context`: where the
 * run's will be put; `orders`: the stream by which the run will come.
 */
export async function loadAhead(agent, { context, orders }) {
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
