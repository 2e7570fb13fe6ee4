import { readFileSync } from "node:fs";
import type { RunHandle, RunOptions } from "../../sdk/ts/index.ts";
import type { Json } from "../client.ts";
import type { Call, Command } from "../command.ts";
import { exitCodes, Fault } from "../exit-codes.ts";
import { showRun } from "../show-run.ts";
import type { Terminal } from "../terminal.ts";

export const run: Command = {
  usage: "run <agent[@version|tag]> [-i key=value… | -f input.json | -f -] [--thread t] [--mode m] [--detach]",
  summary: "Runs an agent and shows its stream. Ctrl-C leaves the run alone, and says how to come back.",
  options: {
    input: { type: "string", short: "i", multiple: true },
    file: { type: "string", short: "f" },
    thread: { type: "string" },
    mode: { type: "string" },
    detach: { type: "boolean" },
  },
  needs: 1,
  async act({ words, flags, client, terminal }) {
    const [name = ""] = words;
    const at = name.lastIndexOf("@");
    const [agent_id, version] = at > 0 ? [name.slice(0, at), name.slice(at + 1)] : [name, "current"];
    const started = client.run(agent_id, readInput(flags), {
      version,
      thread_id: flags["thread"] as string | undefined,
      runtime_mode: flags["mode"] as RunOptions["runtime_mode"],
    });
    return flags["detach"] ? detach(terminal, started) : execute({ client, terminal }, started);
  },
};

async function detach(terminal: Terminal, run: RunHandle): Promise<number> {
  await run.start();
  if (terminal.json) terminal.value({ run_id: run.id });
  else terminal.data(run.id);
  return 0;
}

/** Starts a run and shows it. */
export async function execute(
  { client, terminal }: Pick<Call, "client" | "terminal">,
  run: RunHandle,
): Promise<number> {
  // A stream is waited for. Whether there is a service at all is told at once.
  await client.system.healthLive();
  const leave = (): void => {
    terminal.say(`\nThe run goes on. Come back with: runfleet tail ${run.id}`);
    process.exit(exitCodes.detached);
  };
  process.once("SIGINT", leave);
  try {
    return await showRun(terminal, run);
  } finally {
    process.off("SIGINT", leave);
  }
}

/** Returns the input of -f, with the values of -i over it. A value that is JSON is read as such. */
export function readInput(flags: Call["flags"]): Json {
  const file = flags["file"];
  const input = typeof file === "string" ? readObject(file) : {};
  for (const pair of (flags["input"] ?? []) as string[]) {
    const at = pair.indexOf("=");
    if (at < 1) throw new Fault("usage", `'${pair}' is not like key=value.`);
    input[pair.slice(0, at)] = toValue(pair.slice(at + 1));
  }
  return input;
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
