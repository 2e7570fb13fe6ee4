import type { Call, Command } from "../command.ts";
import { pack } from "../pack.ts";
import { publish } from "../publish.ts";
import { checkConfig } from "./check.ts";

export const deploy: Command = {
  usage: "deploy [dir] [--version v] [--tag t] [--no-promote]",
  summary:
    "Checks, publishes and builds the folder's agent, and makes it the current version. The same content changes nothing.",
  options: {
    agent: { type: "string" },
    version: { type: "string" },
    tag: { type: "string" },
    "no-promote": { type: "boolean" },
  },
  takesFolder: true,
  async act(call) {
    for (const project of call.projects) await deployOne({ ...call, project });
    return 0;
  },
};

async function deployOne(call: Call): Promise<void> {
  const { flags, client, terminal } = call;
  const config = pack(call.folder, call.project);
  await checkConfig(call, config);
  const named = typeof flags["version"] === "string" ? { version: flags["version"] } : {};
  const { agent, version, isNew } = await publish(call, { config, ...named });
  // A version becomes the current one when it has been built.
  const moved = flags["no-promote"] ? null : await client.versions.upgradeAgent({ agent_id: agent, version });
  if (typeof flags["tag"] === "string") await client.versions.putTag(agent, flags["tag"], { version });
  if (terminal.json) terminal.value({ agent, version, created: isNew, current: moved !== null });
  else terminal.data(`${agent} ${version}${moved?.changed ? " is the current version now" : ""}`);
}
