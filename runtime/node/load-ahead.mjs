// Loads an agent's module ahead of its run, and finds out whether the run can use the module.
import { syncBuiltinESMExports } from "node:module";
import { setImmediate as nextTurn } from "node:timers/promises";
import { channel, writeFrame } from "./channel.mjs";
import { offerHelper, writeFiles } from "./context.mjs";
import { BadEntrypoint, loadModule } from "./load-agent.mjs";

/** @import { AgentCode } from "./types.d.ts" */

/**
 * Returns a proxy of `object` for code that is loaded ahead of its run. `note` is called with the name of each property that
 * the code reads or changes, and with "*" when it lists them.
 * @template {object} T
 * @param {T} object
 * @param {(name: string) => void} note
 * @returns {T}
 */
function noteUses(object, note) {
  /**
   * @template {unknown[]} A
   * @template R
   * @param {(target: T, name: string | symbol, ...more: A) => R} act
   * @returns {(target: T, name: string | symbol, ...more: A) => R}
   */
  const noting =
    (act) =>
    (target, name, ...more) => {
      note(String(name));
      return act(target, name, ...more);
    };
  return new Proxy(object, {
    get: noting((target, name) => /** @type {any} */ (target)[name]),
    set: noting((target, name, /** @type {unknown} */ value) => {
      /** @type {any} */ (target)[name] = value;
      return true;
    }),
    deleteProperty: noting(Reflect.deleteProperty),
    has: noting(Reflect.has),
    getOwnPropertyDescriptor: noting(Reflect.getOwnPropertyDescriptor),
    ownKeys: (target) => {
      note("*");
      return Reflect.ownKeys(target);
    },
  });
}

const listResources = () => process.getActiveResourcesInfo().sort().join();

/**
 * Loads the agent's module before its run is known, and tells the worker whether the run may use it. Returns the module, or
 * null when each run must load the code itself. `context`: the object that will be filled with the run's context. `commands`:
 * the stream from which the run's request will be read.
 * @param {AgentCode} agent
 * @param {{ context: object, commands: { ref(): void, unref(): void } }} run
 */
export async function loadAhead(agent, { context, commands }) {
  const { env } = process;
  /** @type {Set<string>} */
  const envRead = new Set();
  let readsContext = false;
  /** @type {string[]} */
  const heldFrames = [];
  channel.heldFrames = heldFrames;
  commands.unref(); // So that Node ends an import that waits for what never comes.
  const notedEnv = noteUses(env, (name) => envRead.add(name));
  process.env = notedEnv;
  offerHelper(noteUses(context, () => (readsContext = true)));
  syncBuiltinESMExports();
  let module = null;
  let raised = null;
  const before = listResources();
  try {
    writeFiles(agent.code);
    module = await loadModule(agent);
    await nextTurn();
  } catch (error) {
    if (!(error instanceof BadEntrypoint)) raised = /** @type {any} */ (error)?.name ?? typeof error;
  }
  /** @type {[isFound: boolean, fault: string][]} */
  const faults = [
    [readsContext, "asks for its run"],
    [raised !== null, `raises ${raised}`],
    [heldFrames.length > 0, "writes output"],
    [listResources() !== before, "starts timers, threads or processes, or opens connections"],
  ];
  if (process.env === notedEnv) process.env = env;
  syncBuiltinESMExports();
  channel.heldFrames = null;
  const found = faults.find(([isFound]) => isFound);
  writeFrame("loaded", {
    preloaded: module !== null,
    fault: found ? `it ${found[1]} when it is imported` : null,
    env_read: [...envRead],
  });
  commands.ref();
  channel.heldFrames = []; // What the code sends before its run's request is there is dropped.
  return module;
}
