import type { Group } from "../command.ts";
import { listing, operation } from "../operation.ts";
import { ago, type Column, field } from "../table.ts";
import { cancel, replay } from "./bulk.ts";
import { diffRuns } from "./diff-runs.ts";
import { resume } from "./resume.ts";

export const runColumns: readonly Column[] = [
  ["RUN", field("id")],
  ["STATUS", field("status")],
  ["AGENT", (row) => `${String(row["agent_id"])}@${String(row["version"])}`],
  ["TOOK", ({ duration_ms }) => (typeof duration_ms === "number" ? `${(duration_ms / 1000).toFixed(2)} s` : "")],
  ["AGE", (row) => ago(row["created_at"])],
  ["ERROR", field("error.message")],
];

const at = "/v1/runs/{}";

export const runs: Group = {
  summary: "Lists runs, shows one, cancels, replays, compares.",
  commands: {
    ls: listing({
      usage: "runs ls [--status s] [--agent a] [--since 2h] [--search text] [--all]",
      summary: "The runs, newest first.",
      path: "/v1/runs",
      columns: runColumns,
      filters: {
        status: "status",
        agent: "agent_id",
        version: "version",
        thread: "thread_id",
        tag: "tag",
        since: "since",
        search: "search",
      },
    }),
    get: operation({ usage: "runs get <run>", summary: "All of a run's record.", method: "GET", path: at }),
    cancel,
    replay,
    resume,
    rm: operation({
      usage: "runs rm <run>",
      summary: "Deletes a run that has ended, with its transcript.",
      method: "DELETE",
      path: at,
      tell: (_, { words }) => `${words[0]} is deleted`,
    }),
    events: listing({
      usage: "runs events <run> [--all]",
      summary: "A run's events, as they are stored.",
      path: `${at}/events`,
      columns: [
        ["ID", field("id")],
        ["TYPE", field("type")],
        ["EVENT", ({ id: _id, type: _type, run_id: _run, ts: _ts, ...rest }) => rest],
      ],
    }),
    diff: diffRuns,
  },
};
