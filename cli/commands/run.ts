import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { RunHandle, RunOptions } from "../../sdk/ts/index.ts";
import { showAndAnswer } from "../answer-questions.ts";
import type { Json } from "../client.ts";
import type { Call, Command } from "../command.ts";
import { exitCodes, Fault } from "../exit-codes.ts";
import { showEnd, showRun } from "../show-run.ts";
import type { Terminal } from "../terminal.ts";

export const run: Command = {
  usage:
    "run <agent[@version|tag]> [-i key=value… | -f input.json | -f -] [--thread t] [--attach file…] [--env KEY=value…] [--mode m] [--lifecycle l] [--detach | --wait] [--cancel-on-exit]",
  summary:
    "Runs an agent and shows its stream; --wait shows its end alone. On a terminal its questions are asked. Ctrl-C leaves the run alone and says how to come back; once more, or with --cancel-on-exit, cancels it.",
  options: {
    input: { type: "string", short: "i", multiple: true },
    file: { type: "string", short: "f" },
    thread: { type: "string" },
    attach: { type: "string", multiple: true },
    env: { type: "string", multiple: true },
    mode: { type: "string" },
    lifecycle: { type: "string" },
    detach: { type: "boolean" },
    wait: { type: "boolean" },
    "cancel-on-exit": { type: "boolean" },
  },
  needs: 1,
  async act({ words, flags, client, terminal }) {
    const [name = ""] = words;
    const at = name.lastIndexOf("@");
    const [agent_id, version] = at > 0 ? [name.slice(0, at), name.slice(at + 1)] : [name, "current"];
    const env_vars = pairsOf(flags["env"]);
    const files = readAttached((flags["attach"] ?? []) as string[]);
    const started = client.run(agent_id, readInput(flags), {
      version,
      thread_id: flags["thread"] as string | undefined,
      runtime_mode: flags["mode"] as RunOptions["runtime_mode"],
      lifecycle: flags["lifecycle"] as RunOptions["lifecycle"],
      ...(env_vars.length > 0 && { env_vars: Object.fromEntries(env_vars) }),
      ...(files.size > 0 && { files: Object.fromEntries(files) }),
    });
    if (flags["detach"]) return detach(terminal, started);
    const show = (one: RunHandle): Promise<number> =>
      flags["wait"] ? showEnd(terminal, one) : showAndAnswer(terminal, one);
    return execute({ client, terminal }, started, { isCancelled: flags["cancel-on-exit"] === true, show });
  },
};

async function detach(terminal: Terminal, run: RunHandle): Promise<number> {
  await run.start();
  if (terminal.json) terminal.value({ run_id: run.id });
  else terminal.data(run.id);
  return 0;
}

type Shown = {
  /** Ctrl-C cancels the run. */
  isCancelled?: boolean;
  show?: (run: RunHandle) => Promise<number>;
};

/** Starts a run and shows it. */
export async function execute(
  { client, terminal }: Pick<Call, "client" | "terminal">,
  run: RunHandle,
  { isCancelled = false, show = (one) => showRun(terminal, one) }: Shown = {},
): Promise<number> {
  // A stream is waited for. Whether there is a service at all is told at once.
  await client.system.healthLive();
  const exit = (): void => process.exit(exitCodes.detached);
  let timer: NodeJS.Timeout | undefined;
  let isLeaving = isCancelled;
  const leave = (): void => {
    if (!isLeaving) {
      isLeaving = true;
      terminal.say(`\nThe run goes on. Come back with: runfleet tail ${run.id}`);
      if (!terminal.canAsk) return exit();
      terminal.say("Ctrl-C once more cancels it.");
      timer = setTimeout(exit, onceMoreMs);
      return;
    }
    clearTimeout(timer);
    process.off("SIGINT", leave).once("SIGINT", exit);
    run.cancel().catch(exit);
  };
  process.on("SIGINT", leave);
  try {
    return await show(run);
  } finally {
    clearTimeout(timer);
    process.off("SIGINT", leave).off("SIGINT", exit);
  }
}

/** How long a person has for the second Ctrl-C. */
const onceMoreMs = 1_000;

/** Returns the input of -f, with the values of -i over it. A value that is JSON is read as such. */
export function readInput(flags: Call["flags"]): Json {
  const file = flags["file"];
  const input = typeof file === "string" ? readObject(file) : {};
  for (const [name, text] of pairsOf(flags["input"])) input[name] = toValue(text);
  return input;
}

/** Returns what a flag that is like key=value was given. Throws Fault. */
function pairsOf(given: Call["flags"][string]): [name: string, text: string][] {
  return ((given ?? []) as string[]).map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw new Fault("usage", `'${pair}' is not like key=value.`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}

/** Returns files by the names that the run knows them by. Throws Fault for one that can't be read, and for a second of a name. */
function readAttached(paths: string[]): Map<string, Uint8Array<ArrayBuffer>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const path of paths) {
    const name = basename(path);
    if (files.has(name))
      throw new Fault("usage", `Two attached files are named ${name}: the run would get one of them.`);
    files.set(name, readBytes(path));
  }
  return files;
}

function readBytes(path: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(path));
  } catch (error) {
    throw new Fault("usage", `The file ${path} can't be read: ${String(error)}`);
  }
}

function readObject(path: string): Json {
  try {
    const value: unknown = JSON.parse(readFileSync(path === "-" ? 0 : path, "utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  } catch (error) {
    throw new Fault("usage", `The input ${path} can't be read: ${String(error)}`);
  }
  throw new Fault("usage", `The input ${path} must be a JSON object.`);
}

function toValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
