import type { Command } from "../command.ts";
import type { Client } from "../client.ts";
import type { Terminal } from "../terminal.ts";

type Line = { level: string; message: string };

export const logs: Command = {
  usage: "logs <run|agent> [-f]",
  summary: "Shows the log lines of a run, or of an agent's last run. With -f it goes on until the run ends.",
  options: { follow: { type: "boolean", short: "f" } },
  needs: 1,
  async act({ words: [name = ""], flags, client, terminal }) {
    const run = name.startsWith("run_") ? name : await lastRun(client, name);
    let after: string | undefined;
    for (;;) {
      const { completed_at, status, error } = await client.runs.get(run);
      for await (const line of client.runs.listLogs(run, { limit: 100, after })) {
        show(terminal, line);
        after = line.id;
      }
      if (!flags["follow"] || completed_at !== null) {
        if (after === undefined) terminal.say(`${run} has logged nothing. Its output: runfleet tail ${run}`);
        if (error) terminal.say(`✗ ${status} · ${error.code}: ${error.message}`);
        return 0;
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  },
};

function show(terminal: Terminal, line: Line): void {
  if (terminal.json) terminal.value(line);
  else terminal.data(`${line.level.padEnd(5)} ${line.message}`);
}

async function lastRun(client: Client, agent: string): Promise<string> {
  const { data } = await client.agents.listRuns(agent, { limit: 1 }).page();
  return data[0]?.id ?? "none";
}
