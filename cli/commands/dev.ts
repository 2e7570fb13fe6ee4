import { faultOf } from "../client.ts";
import type { Call, Command } from "../command.ts";
import { ensureService } from "../ensure-service.ts";
import { pack } from "../pack.ts";
import { publish } from "../publish.ts";
import { chooseProjects, onlyProject, readProjects } from "../read-projects.ts";
import type { Project } from "../settings.ts";
import { watchFolder } from "../watch-folder.ts";
import { execute, readInput } from "./run.ts";

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
    onlyProject(call.projects);
    await ensureService(call);
    if (call.flags["once"]) return tryOnce(call, input_payload);
    const changes = watchFolder(call.folder, () => projectNow(call).ignore ?? []);
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
const projectNow = ({ folder, flags }: Call): Project =>
  onlyProject(chooseProjects(readProjects(folder), flags["agent"] as string | undefined));
