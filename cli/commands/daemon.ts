import type { Command, Group } from "../command.ts";
import type { Json } from "../client.ts";
import { listing, operation } from "../operation.ts";
import { field } from "../table.ts";
import { readInput } from "./run.ts";

const control = (action: string, summary: string): Command =>
  operation({
    usage: `daemon ${action} <agent>`,
    summary,
    method: "POST",
    path: "/v1/daemon/{}/control?wait=10",
    body: ({ words }) => ({ agent_id: words[0], action }),
    tell: ({ body }, { words }) => `${words[0]} ${String((body["daemon"] as Json)["status"])}`,
  });

export const daemon: Group = {
  summary: "Lists daemons, starts, stops and restarts one, shows its log, sends it a message.",
  commands: {
    ls: listing({
      usage: "daemon ls [--status s] [--all]",
      summary: "The daemons.",
      path: "/v1/daemons",
      columns: [
        ["AGENT", field("agent_id")],
        ["VERSION", field("version")],
        ["STATUS", field("status")],
        ["DESIRED", field("desired")],
        ["RESTARTS", field("restarts")],
        ["MAILBOX", field("mailbox_depth")],
      ],
      filters: { status: "status" },
    }),
    status: operation({
      usage: "daemon status <agent>",
      summary: "A daemon's state, its last end and its mailbox.",
      method: "GET",
      path: "/v1/daemon/{}/status",
    }),
    start: control("start", "Starts an agent's daemon."),
    stop: control("stop", "Stops a daemon. Its message has 10 s to end, or is handled again after a start."),
    restart: control("restart", "Replaces a daemon's process. Its message has 10 s to end, or is handled again."),
    pause: control("pause", "Holds a daemon's mailbox."),
    logs: listing({
      usage: "daemon logs <agent> [--all]",
      summary: "A daemon's log lines.",
      path: "/v1/daemon/{}/logs",
      columns: [
        ["TIME", field("ts")],
        ["LEVEL", field("level")],
        ["FROM", field("stream")],
        ["MESSAGE", field("message")],
      ],
    }),
    send: operation({
      usage: "daemon send <agent> [-i key=value… | -f message.json]",
      summary: "Sends a daemon a message, and tells the id of its run.",
      options: { input: { type: "string", short: "i", multiple: true }, file: { type: "string", short: "f" } },
      method: "POST",
      path: "/v1/daemon/{}/control",
      body: ({ words, flags }) => ({ agent_id: words[0], action: "message", payload: readInput(flags) }),
      tell: ({ body }) => String(body["run_id"]),
    }),
  },
};
