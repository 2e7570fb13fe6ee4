import { createInterface } from "node:readline/promises";
import { faultOf, type Json } from "../client.ts";
import type { Call, Command, Group } from "../command.ts";
import { listing, operation } from "../operation.ts";
import { ago, field } from "../table.ts";
import { execute } from "./run.ts";

const at = "/v1/threads/{}";

const chat: Command = {
  usage: "threads chat <agent[@version|tag]> [thread] [--field message]",
  summary: "Talks with an agent: each line is a run of the thread. Ctrl-D ends it.",
  options: { field: { type: "string", default: "message" } },
  needs: 1,
  async act(call) {
    const { words, flags, terminal } = call;
    const [agent = "", thread_id = `thread_${Date.now().toString(36)}`] = words;
    terminal.say(`Thread ${thread_id}`);
    const lines = createInterface({ input: process.stdin, output: process.stderr, prompt: "> " });
    // Ctrl-C is a key of this terminal, and no signal: who shows a run listens for the signal.
    lines.on("SIGINT", () => void (process.emit("SIGINT") || lines.close()));
    lines.prompt();
    for await (const line of lines) {
      if (line.trim()) await say(call, agent, { [String(flags["field"])]: line }, thread_id);
      lines.prompt();
    }
    return 0;
  },
};

async function say(call: Call, agent: string, input: Json, thread_id: string): Promise<void> {
  const { client, terminal } = call;
  const [agent_id = "", version = "current"] = agent.split("@");
  try {
    await execute(call, client.run(agent_id, input, { version, thread_id }));
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null || fault.exit === "unreachable") throw error;
    terminal.say(fault.message);
  }
}

export const threads: Group = {
  summary: "Lists threads, shows one and its messages and state, forks, chats.",
  commands: {
    ls: listing({
      usage: "threads ls [--agent a] [--search text] [--all]",
      summary: "The threads, newest first.",
      path: "/v1/threads",
      columns: [
        ["THREAD", field("id")],
        ["AGENT", field("agent_id")],
        ["STATUS", field("status")],
        ["TITLE", field("title")],
        ["CHANGED", (row) => ago(row["updated_at"])],
      ],
      filters: { agent: "agent_id", status: "status", search: "search", since: "since" },
    }),
    get: operation({ usage: "threads get <thread>", summary: "All of a thread's record.", method: "GET", path: at }),
    messages: listing({
      usage: "threads messages <thread> [--all]",
      summary: "What was said in a thread.",
      path: `${at}/messages`,
      columns: [
        ["ROLE", field("role")],
        ["CONTENT", field("content")],
      ],
    }),
    state: operation({
      usage: "threads state <thread>",
      summary: "What the thread's runs have saved.",
      method: "GET",
      path: `${at}/state`,
    }),
    fork: operation({
      usage: "threads fork <thread> [--run run]",
      summary: "Copies a thread up to a run, to go on another way.",
      options: { run: { type: "string" } },
      method: "POST",
      path: `${at}/fork`,
      body: ({ flags: { run } }) => (typeof run === "string" ? { run_id: run } : {}),
      tell: ({ body }) => String(body["id"]),
    }),
    rm: operation({
      usage: "threads rm <thread>",
      summary: "Deletes a thread.",
      method: "DELETE",
      path: at,
      tell: (_, { words }) => `${words[0]} is deleted`,
    }),
    chat,
  },
};
