import type { RunLog } from "../../sdk/ts/index.ts";
import type { Client } from "../client.ts";
import type { Call, Command } from "../command.ts";
import { Fault } from "../exit-codes.ts";
import { timeOf } from "../operation.ts";
import type { Terminal } from "../terminal.ts";
import { isRun } from "./tail.ts";

export const logs: Command = {
  usage: "logs <run|agent> [-f] [--level l] [--since 10m] [-n lines]",
  summary:
    "Shows the log lines of a run, or of an agent's last run; with -n the last ones. With -f it goes on until the run ends.",
  options: {
    follow: { type: "boolean", short: "f" },
    level: { type: "string" },
    since: { type: "string" },
    lines: { type: "string", short: "n" },
  },
  needs: 1,
  async act(call) {
    const { words, flags, client, terminal } = call;
    const [name = ""] = words;
    const run = (await isRun(call, name)) ? name : await lastRun(client, name);
    const asked = readAsked(flags);
    let after: string | undefined;
    for (;;) {
      const { completed_at, status, error } = await client.runs.get(run);
      after = await showLines({ client, terminal }, run, { ...asked, after });
      // Of what was there before, the last lines were asked for.
      asked.most = null;
      if (flags["follow"] && completed_at === null) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        continue;
      }
      if (after === undefined) terminal.say(`${run} ${nothing(asked.level)} Its output: runfleet tail ${run}`);
      if (error) terminal.say(`✗ ${status} · ${error.code}: ${error.message}`);
      return 0;
    }
  },
};

/** The service chooses by level, this command by time and count. `most`: so many of the last lines; null for all. */
type Asked = { level: string | undefined; since: string | null; most: number | null };

const readAsked = ({ level, since, lines }: Call["flags"]): Asked => ({
  level: typeof level === "string" ? level : undefined,
  since: typeof since === "string" ? timeOf(since) : null,
  most: typeof lines === "string" ? readCount(lines) : null,
});

function readCount(given: string): number {
  const count = Number(given);
  if (!Number.isInteger(count) || count < 1) throw new Fault("usage", `-n is a number of lines, not '${given}'.`);
  return count;
}

type Where = Pick<Call, "client" | "terminal">;

/** Shows the lines after one. Returns the id of the last one that was read. */
async function showLines(
  { client, terminal }: Where,
  run: string,
  { level, since, most, after }: Asked & { after: string | undefined },
): Promise<string | undefined> {
  let last = after;
  const kept: RunLog[] = [];
  for await (const line of client.runs.listLogs(run, { limit: 100, after, level })) {
    last = line.id;
    if (since !== null && Date.parse(line.ts) < Date.parse(since)) continue;
    if (most === null) show(terminal, line);
    else if (kept.push(line) > most) kept.shift();
  }
  for (const line of kept) show(terminal, line);
  return last;
}

const nothing = (level: string | undefined): string =>
  level === undefined ? "has logged nothing." : `has no line of the level '${level}'.`;

function show(terminal: Terminal, line: RunLog): void {
  if (terminal.json) terminal.value(line);
  else terminal.data(`${line.level.padEnd(5)} ${line.message}`);
}

async function lastRun(client: Client, agent: string): Promise<string> {
  const { data } = await client.agents.listRuns(agent, { limit: 1 }).page();
  return data[0]?.id ?? "none";
}
