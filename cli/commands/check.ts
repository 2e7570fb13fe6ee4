import type { Call, Command } from "../command.ts";
import { Fault } from "../exit-codes.ts";
import { sendConfig } from "../send-config.ts";
import { pack } from "../pack.ts";
import { onlyProject } from "../read-projects.ts";
import { programOf } from "../rehearse/program-of.ts";
import { readRecording } from "../rehearse/read-recording.ts";
import { replay } from "../rehearse/replay.ts";

type Warning = { code: string; message: string };

export const check: Command = {
  usage: "check [dir] [--replay run] [--agent name]",
  summary:
    "Says what publishing would refuse, and what it would warn of. Nothing is published. --replay: whether the folder's code comes to the same steps as a recorded run; no step is done.",
  takesFolder: true,
  options: { replay: { type: "string" }, agent: { type: "string" } },
  async act(call) {
    const run_id = call.flags["replay"];
    if (typeof run_id === "string") return checkReplay(call, run_id);
    for (const project of call.projects) await checkConfig({ ...call, project }, pack(call.folder, project));
    if (call.terminal.json) call.terminal.value({ valid: true });
    else call.terminal.say("✓ It can be published.");
    return 0;
  },
};

/** Checks a config as publishing does. A key that the service doesn't read is refused here: it is most often a mistake. */
export async function checkConfig(
  { client, terminal, project }: Pick<Call, "client" | "terminal" | "project">,
  config: Record<string, unknown>,
): Promise<void> {
  const { body } = await sendConfig(client, "/v1/validate", { config });
  const warnings = (body["warnings"] ?? []) as Warning[];
  const unread = warnings.filter(({ code }) => code === "unknown_config_key");
  if (unread.length > 0)
    throw new Fault("usage", unread.map(({ message }) => message.replaceAll("`config.", "`")).join("\n"));
  for (const note of project.notes ?? []) terminal.say(`! ${note}`);
  for (const { message } of warnings) terminal.say(`! ${message}`);
}

/** Replays a recorded run over the folder's code, on this machine. */
async function checkReplay({ client, folder, projects, terminal }: Call, run_id: string): Promise<number> {
  const program = programOf(folder, onlyProject(projects));
  const verdict = await replay(program, await readRecording(client, run_id));
  if (terminal.json) terminal.value(verdict);
  for (const note of "notes" in verdict ? verdict.notes : []) terminal.say(`! ${note}`);
  if (verdict.kind === "failed") throw new Fault("run_error", `✗ The code failed: ${verdict.message}`);
  if (verdict.kind === "differs")
    throw new Fault("conflict", `✗ ${verdict.at === null ? "" : `${verdict.at}: `}${verdict.message}`);
  const next = verdict.next ? ` Then it comes to '${verdict.next.name}' (${verdict.next.at ?? "?"}).` : "";
  if (!terminal.json) terminal.say(`✓ The code comes to the same ${verdict.calls} calls.${next}`);
  return 0;
}
