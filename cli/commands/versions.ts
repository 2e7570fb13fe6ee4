import type { Command, Group } from "../command.ts";
import { listing, operation } from "../operation.ts";
import { ago, field } from "../table.ts";

const at = "/v1/versions/{}/{}";

export const versions: Group = {
  summary: "Lists an agent's versions, shows one, compares two, names one by a tag.",
  commands: {
    ls: listing({
      usage: "versions ls <agent> [--all]",
      summary: "An agent's versions, newest first.",
      path: "/v1/versions/{}",
      columns: [
        ["VERSION", field("version")],
        ["CURRENT", (row) => (row["current"] ? "current" : "")],
        ["STATE", field("state")],
        ["STATUS", field("status")],
        ["TAGS", (row) => (row["tags"] as string[]).join(" ")],
        ["AGE", (row) => ago(row["created_at"])],
      ],
      filters: { status: "status" },
    }),
    get: operation({ usage: "versions get <agent> <version>", summary: "All of a version.", method: "GET", path: at }),
    build: operation({
      usage: "versions build <agent> <version>",
      summary: "A version's build: its state, log, error and locked packages.",
      method: "GET",
      path: `${at}/build`,
    }),
    diff: operation({
      usage: "versions diff <agent> <version> <other version>",
      summary: "What differs between two versions.",
      method: "GET",
      path: `${at}/diff?against={}`,
    }),
    tag: operation({
      usage: "versions tag <agent> <tag> <version>",
      summary: "Lets a tag name a version.",
      method: "PUT",
      path: "/v1/versions/{}/tags/{}",
      body: ({ words }) => ({ version: words[2] }),
      tell: (_, { words }) => `${words[0]}@${words[1]} is ${words[2]}`,
    }),
  },
};

export const promote: Command = operation({
  usage: "promote <agent> <version>",
  summary: "Makes a version the current one.",
  method: "POST",
  path: "/v1/upgrade",
  body: ({ words: [agent_id, version] }) => ({ agent_id, version }),
  tell: ({ body }, { words }) =>
    `${words[0]} ${String(body["version"])} is the current version (was ${String(body["previous_version"])})`,
});
