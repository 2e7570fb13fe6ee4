import type { Command, Group } from "../command.ts";
import { Fault } from "../exit-codes.ts";
import { listing, operation } from "../operation.ts";
import { field } from "../table.ts";
import { readInput } from "./run.ts";

const at = "/v1/jobs/{}";

const change = (action: string, summary: string): Command =>
  operation({
    usage: `schedule ${action} <schedule>`,
    summary,
    method: "POST",
    path: `${at}/${action}`,
    tell: ({ body }, { words }) => `${words[0]} ${body["object"] === "job" ? String(body["status"]) : "is run now"}`,
  });

export const schedule: Group = {
  summary: "Lists schedules, adds one, pauses, resumes, triggers, deletes.",
  commands: {
    ls: listing({
      usage: "schedule ls [--agent a] [--all]",
      summary: "The schedules and when they are due next.",
      path: "/v1/jobs",
      columns: [
        ["SCHEDULE", field("id")],
        ["AGENT", field("agent_id")],
        ["WHEN", field("schedule")],
        ["STATUS", field("status")],
        ["NEXT", field("next_tick_at")],
        ["NAME", field("name")],
      ],
      filters: { agent: "agent_id", status: "status" },
    }),
    get: operation({ usage: "schedule get <schedule>", summary: "All of a schedule.", method: "GET", path: at }),
    add: operation({
      usage: 'schedule add <agent[@version|tag]> "0 7 * * *" | "every 15m" [--timezone z] [-i key=value…]',
      summary: "Runs an agent at times.",
      options: {
        timezone: { type: "string" },
        name: { type: "string" },
        thread: { type: "string" },
        input: { type: "string", short: "i", multiple: true },
        file: { type: "string", short: "f" },
      },
      method: "POST",
      path: "/v1/jobs",
      body({ words: [agent = "", when], flags }) {
        const [agent_id, version = "current"] = agent.split("@");
        if (when === undefined) throw new Fault("usage", 'Say when: "0 7 * * *", "every 15m", or a time.');
        const { timezone, name, thread } = flags;
        return {
          agent_id,
          version,
          schedule: when,
          input_payload: readInput(flags),
          ...(typeof timezone === "string" ? { timezone } : {}),
          ...(typeof name === "string" ? { name } : {}),
          ...(typeof thread === "string" ? { thread_id: thread } : {}),
        };
      },
      tell: ({ body }) => `${String(body["id"])} is due next at ${String(body["next_tick_at"])}`,
    }),
    pause: change("pause", "Lets a schedule's ticks pass."),
    resume: change("resume", "Lets a paused schedule fire again."),
    trigger: change("trigger", "Runs a schedule's agent now."),
    rm: operation({
      usage: "schedule rm <schedule>",
      summary: "Deletes a schedule.",
      method: "DELETE",
      path: at,
      tell: (_, { words }) => `${words[0]} is deleted`,
    }),
  },
};
