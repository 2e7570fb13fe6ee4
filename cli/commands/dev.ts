import { watch } from "node:fs";
import { faultOf } from "../client.ts";
import type { Call, Command } from "../command.ts";
import { Fault } from "../exit-codes.ts";
import { ensureService } from "../ensure-service.ts";
import { pack } from "../pack.ts";
import { publish } from "../publish.ts";
import { readProjects } from "../read-projects.ts";
import type { Project } from "../settings.ts";
import { execute, readInput } from "./run.ts";

/** An editor writes several files at once. */
const quietMs = 150;

export const dev: Command = {
  usage: "dev [dir] [-i key=value… | -f input.json | --no-run] [--once]",
  summary:
    "Publishes the folder as a development version at each change and runs it. The current version is never touched. Starts the service on this machine where none answers.",
  options: {
    agent: { type: "string" },
    input: { type: "string", short: "i", multiple: true },
    file: { type: "string", short: "f" },
    "no-run": { type: "boolean" },
    once: { type: "boolean" },
  },
  takesFolder: true,
  async act(call) {
    const input_payload = readInput(call.flags);
    if (call.projects.length > 1)
      throw new Fault("usage", `Name one by --agent: ${call.projects.map(({ agent }) => agent).join(", ")}.`);
    await ensureService(call);
    if (call.flags["once"]) return tryOnce(call, input_payload);
    const changes = watchFolder(call.folder);
    try {
      for (;;) {
        await tryOnce(call, input_payload);
        await changes.next();
        call.terminal.say(`\n── ${new Date().toLocaleTimeString()}`);
      }
    } finally {
      changes.close();
    }
  },
};

/** A mistake of the author's is told, and the next change is waited for. */
async function tryOnce(call: Call, input_payload: Record<string, unknown>): Promise<number> {
  try {
    const project = projectNow(call);
    const config = pack(call.folder, project);
    const { agent, version } = await publish({ ...call, project }, { config, dev: true });
    if (call.flags["no-run"]) {
      call.terminal.data(`${agent}@${version}`);
      return 0;
    }
    return await execute(call, call.client.run(agent, input_payload, { version }));
  } catch (error) {
    const fault = faultOf(error);
    if (call.flags["once"] || fault === null || fault.exit === "unreachable") throw error;
    call.terminal.say(fault.message);
    return 0;
  }
}

/** What the folder says may have changed since the command was started. */
function projectNow({ folder, flags }: Call): Project {
  const [first = {}, ...others] = readProjects(folder);
  return others.length === 0 ? first : ([first, ...others].find(({ agent }) => agent === flags["agent"]) ?? first);
}

type Changes = { next(): Promise<void>; close(): void };

/** Watches a folder. A change that comes while nobody waits is not lost. */
function watchFolder(folder: string): Changes {
  let isChanged = false;
  let notify = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, { recursive: true }, (_event, name) => {
    if (name !== null && /(^|\/)(node_modules|\.git|__pycache__|\.venv)(\/|$)/.test(name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      isChanged = true;
      notify();
    }, quietMs);
  });
  return {
    async next() {
      if (!isChanged) await new Promise<void>((resolve) => (notify = resolve));
      isChanged = false;
    },
    close: () => watcher.close(),
  };
}
