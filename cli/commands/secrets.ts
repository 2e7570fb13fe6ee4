import { askSecret } from "../ask.ts";
import type { Call, Group } from "../command.ts";
import { Fault } from "../exit-codes.ts";
import { listing, operation } from "../operation.ts";
import { ago, field } from "../table.ts";

const options = {
  agent: { type: "string", short: "a" },
  "all-agents": { type: "boolean" },
  tag: { type: "string" },
} as const;

/** Of an agent, which may be that of the folder, or of all of the caller's agents. */
function placeOf(call: Pick<Call, "flags" | "project">): string {
  const { flags } = call;
  if (flags["agent"] !== undefined && flags["all-agents"])
    throw new Fault("usage", "--agent and --all-agents exclude each other: name one of them.");
  const agent = flags["all-agents"] ? undefined : (flags["agent"] ?? call.project.agent);
  return typeof agent === "string" ? `/v1/agents/${encodeURIComponent(agent)}/secrets` : "/v1/secrets";
}

function secretOf(call: Call): string {
  const { tag } = call.flags;
  const query = typeof tag === "string" ? `?tag=${encodeURIComponent(tag)}` : "";
  return `${placeOf(call)}/{}${query}`;
}

export const secrets: Group = {
  summary:
    "Lists secrets, sets one, removes one: those of --agent or of this folder's agent, else, or with --all-agents, those of all of yours. No value is shown.",
  commands: {
    ls: listing({
      usage: "secrets ls [--agent a | --all-agents]",
      summary: "The names of the secrets of an agent, or of all of your agents.",
      options,
      path: placeOf,
      columns: [
        ["SECRET", field("name")],
        ["TAG", field("tag")],
        ["CHANGED", (row) => ago(row["updated_at"])],
      ],
    }),
    set: operation({
      usage: "secrets set <NAME> [--agent a | --all-agents] [--tag t]",
      summary: "Sets a secret, for all versions or for those of a tag. Its value is asked for, or read from stdin.",
      options,
      method: "PUT",
      path: secretOf,
      needs: 1,
      async body({ words: [name = ""] }) {
        const value = await askSecret(`The value of ${name}: `);
        if (value === "") throw new Fault("usage", `No value of ${name} was given.`);
        return { value };
      },
      tell: (_, { words }) => `${words[0]} is set`,
    }),
    rm: operation({
      usage: "secrets rm <NAME> [--agent a | --all-agents] [--tag t]",
      summary: "Removes a secret.",
      options,
      method: "DELETE",
      path: secretOf,
      needs: 1,
      tell: (_, { words }) => `${words[0]} is removed`,
    }),
  },
};
