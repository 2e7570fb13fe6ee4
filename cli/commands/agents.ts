import type { Group } from "../command.ts";
import { listing, operation } from "../operation.ts";
import { ago, field } from "../table.ts";

const at = "/v1/agents/{}";
const tellName =
  (what: string) =>
  (_: unknown, { words }: { words: string[] }) =>
    `${words[0]} ${what}`;

export const agents: Group = {
  summary: "Lists agents, shows one, pauses, resumes, deletes.",
  commands: {
    ls: listing({
      usage: "agents ls [--status s] [--search text] [--all]",
      summary: "The agents and their current versions.",
      path: "/v1/agents",
      columns: [
        ["AGENT", field("id")],
        ["CURRENT", field("current_version")],
        ["STATUS", field("status")],
        ["NAME", field("name")],
        ["CHANGED", (row) => ago(row["updated_at"])],
      ],
      filters: { status: "status", search: "search" },
    }),
    get: operation({ usage: "agents get <agent>", summary: "All of an agent's record.", method: "GET", path: at }),
    stats: operation({
      usage: "agents stats <agent>",
      summary: "How an agent's runs went.",
      method: "GET",
      path: `${at}/stats`,
    }),
    pause: operation({
      usage: "agents pause <agent>",
      summary: "Refuses an agent's new runs, and lets its queued ones wait.",
      method: "POST",
      path: `${at}/pause`,
      tell: tellName("is paused: new runs are refused, queued ones wait"),
    }),
    resume: operation({
      usage: "agents resume <agent>",
      summary: "Lets a paused agent's runs begin, and takes new ones.",
      method: "POST",
      path: `${at}/resume`,
      tell: tellName("is active"),
    }),
    rm: operation({
      usage: "agents rm <agent>",
      summary: "Deletes an agent with its versions, schedules and secrets.",
      method: "DELETE",
      path: at,
      tell: tellName("is deleted"),
    }),
  },
};
