import { NotFoundError } from "../../sdk/ts/index.ts";
import { pathSegment } from "../../sdk/ts/path-segment.ts";
import type { Json } from "../client.ts";
import { agentOf, type Call, type Command } from "../command.ts";
import { compareConfig, linesOf } from "../compare-config.ts";
import { pack } from "../pack.ts";
import { publish } from "../publish.ts";
import { checkConfig } from "./check.ts";

export const deploy: Command = {
  usage: "deploy [dir] [--version v] [--tag t] [--no-promote] [--dry-run]",
  summary:
    "Checks, publishes and builds the folder's agent, and makes it the current version. The same content changes nothing. --dry-run checks it, and shows what would change of the current version.",
  options: {
    agent: { type: "string" },
    version: { type: "string" },
    tag: { type: "string" },
    "no-promote": { type: "boolean" },
    "dry-run": { type: "boolean" },
  },
  takesFolder: true,
  async act(call) {
    for (const project of call.projects) await deployOne({ ...call, project });
    return 0;
  },
};

async function deployOne(call: Call): Promise<void> {
  const { flags, client, terminal } = call;
  const tag = flags["tag"];
  // Before anything is published.
  if (tag !== undefined) pathSegment("tag", tag);
  const config = pack(call.folder, call.project);
  await checkConfig(call, config);
  if (flags["dry-run"]) return showChange(call, config);
  const named = typeof flags["version"] === "string" ? { version: flags["version"] } : {};
  const { agent, version, isNew } = await publish(call, { config, ...named });
  // A version becomes the current one when it has been built.
  const moved = flags["no-promote"] ? null : await client.versions.upgradeAgent({ agent_id: agent, version });
  if (typeof tag === "string") await client.versions.putTag(agent, tag, { version });
  if (terminal.json) terminal.value({ agent, version, created: isNew, current: moved !== null });
  else terminal.data(`${agent} ${version}${moved?.changed ? " is the current version now" : ""}`);
}

/** Shows what the folder would change of the agent's current version. Nothing is published. */
async function showChange(call: Call, config: Json): Promise<void> {
  const { client, terminal } = call;
  const agent = agentOf(call);
  const now = await client.versions.get(agent, "current").catch((error: unknown) => {
    if (error instanceof NotFoundError) return null;
    throw error;
  });
  const change = compareConfig(now?.config ?? {}, config);
  if (terminal.json) return terminal.value({ agent, current: now?.version ?? null, ...change });
  const lines = linesOf(change);
  if (now === null) terminal.say(`${agent} would be new.`);
  else terminal.say(`${lines.length === 0 ? "Nothing differs from" : "Changes of"} ${agent} ${now.version}`);
  for (const line of lines) terminal.data(line);
}
