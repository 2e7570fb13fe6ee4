import type { Command, Group } from "../command.ts";
import { listing, operation } from "../operation.ts";
import { ago, field } from "../table.ts";

const worker = (action: string, summary: string): Command =>
  operation({
    usage: `fleet ${action} <worker>`,
    summary,
    method: "POST",
    path: `/v1/admin/workers/{}/${action}`,
    tell: (_, { words }) => `${words[0]} is told to ${action === "drain" ? "drain" : "end"}`,
  });

export const fleet: Group = {
  summary: "Lists the workers, drains one, ends one. Needs an operator's key.",
  commands: {
    ls: listing({
      usage: "fleet ls",
      summary: "The workers and what they do.",
      path: "/v1/admin/fleet",
      columns: [
        ["WORKER", field("id")],
        ["HOST", field("host")],
        ["STATUS", field("status")],
        ["BUSY", (row) => `${String(row["busy"])}/${String(row["slots"])}`],
        ["SANDBOX", field("sandbox.name")],
        ["VERSION", field("software")],
        ["UP", (row) => ago(row["started_at"])],
      ],
    }),
    drain: worker("drain", "Lets a worker end its runs and leave."),
    kill: worker("kill", "Ends a worker at once; its runs are tried again elsewhere."),
  },
};

export const queues: Command = listing({
  usage: "queues",
  summary: "The queues: what waits, for how long. Needs an operator's key.",
  path: "/v1/admin/queues",
  columns: [
    ["QUEUE", field("name")],
    ["WAITING", field("waiting")],
    ["ACTIVE", field("active")],
    ["OLDEST MS", field("oldest_ms")],
    ["DEAD", field("dead")],
    ["PAUSED", (row) => (row["paused"] ? "paused" : "")],
  ],
});

export const deadLetters: Command = listing({
  usage: "dead-letters [--since 7d] [--all]",
  summary: "Callbacks and webhook messages that were given up. Needs an operator's key.",
  path: "/v1/admin/dead-letters",
  columns: [
    ["MESSAGE", field("id")],
    ["TYPE", field("type")],
    ["TO", field("url_host")],
    ["TRIES", field("tries")],
    ["ERROR", field("last_error")],
    ["AGE", (row) => ago(row["created_at"])],
  ],
  filters: { since: "since" },
});
