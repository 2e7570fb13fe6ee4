import { setTimeout as sleep } from "node:timers/promises";
import { ForbiddenError, type RunStatus } from "../../sdk/ts/index.ts";
import type { Call, Command } from "../command.ts";
import { ago, field, tableOf, type Column } from "../table.ts";

const open: RunStatus[] = ["running", "queued", "scheduled", "interrupted", "suspended"];

const columns: readonly Column[] = [
  ["RUN", field("id")],
  ["STATUS", field("status")],
  ["AGENT", (row) => `${String(row["agent_id"])}@${String(row["version"])}`],
  ["FOR", (row) => ago(row["started_at"] ?? row["created_at"])],
  ["WORKER", field("worker_id")],
  ["NOW", (row) => row["current_status"] ?? row["input_preview"]],
];

export const top: Command = {
  usage: "top [--agent a]",
  summary: "The runs that have not ended, and the workers. On a terminal the page is live until Ctrl-C.",
  options: { agent: { type: "string" } },
  async act(call) {
    const { terminal } = call;
    const found = await read(call);
    if (terminal.json) terminal.value(found);
    else if (terminal.width === null) for (const line of linesOf(found, null)) terminal.data(line);
    else await watch(call, found);
    return 0;
  },
};

type Found = Awaited<ReturnType<typeof read>>;

/** Workers are shown to operators only. */
async function read({ client, flags }: Call) {
  const of = typeof flags["agent"] === "string" ? { agent_id: flags["agent"] } : {};
  const [counts, runs, workers] = await Promise.all([
    client.runs.count(of),
    client.runs.list({ ...of, status: open, limit: 50 }).page(),
    client.admin.getFleet().catch((error: unknown) => {
      if (error instanceof ForbiddenError) return null;
      throw error;
    }),
  ]);
  return { counts: counts.data, runs: runs.data, workers: workers?.data ?? null };
}

function linesOf({ counts, runs, workers }: Found, width: number | null): string[] {
  const now = counts
    .filter(({ status, count }) => count > 0 && open.includes(status))
    .map(({ status, count, more }) => `${count}${more ? "+" : ""} ${status}`);
  const alive = workers?.filter(({ status }) => status === "active" || status === "draining") ?? [];
  const sum = (name: "busy" | "slots") => alive.reduce((all, worker) => all + worker[name], 0);
  const fleet = workers ? `workers: ${alive.length}, ${sum("busy")} of ${sum("slots")} slots busy` : "";
  const heads = [`runs: ${now.join(", ") || "none"}`, ...(fleet ? [fleet] : []), ""];
  return [...heads, ...(runs.length > 0 ? tableOf(columns, runs, width) : [])];
}

const screen = {
  enter: "\u001B[?1049h\u001B[?25l",
  leave: "\u001B[?25h\u001B[?1049l",
  home: "\u001B[H",
  rest: "\u001B[J",
};
const line = "\u001B[K\n";
/** The page is read anew at most this often, and at least every ten seconds. */
const mostOftenMs = 1_000;
const turns = 10;

/** Shows the page until Ctrl-C. */
async function watch(call: Call, first: Found): Promise<void> {
  const { client, terminal, flags } = call;
  const stopped = new AbortController();
  process.once("SIGINT", () => stopped.abort());
  const { signal } = stopped;
  let isStale = false;
  const of = typeof flags["agent"] === "string" ? { agent_id: flags["agent"] } : {};
  const follow = async (): Promise<void> => {
    for await (const _ of client.runs.streamChanges(of, { signal })) isStale = true;
  };
  const following = follow().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  let found = first;
  terminal.write(screen.enter);
  try {
    for (let turn = 1; !signal.aborted; turn++) {
      const lines = linesOf(found, process.stdout.columns).slice(0, process.stdout.rows - 1);
      terminal.write(screen.home + lines.map((text) => text + line).join("") + screen.rest);
      await Promise.race([sleep(mostOftenMs, undefined, { signal }).catch(() => undefined), following]);
      if (!isStale && turn % turns !== 0) continue;
      isStale = false;
      if (!signal.aborted) found = await read(call);
    }
  } finally {
    stopped.abort();
    terminal.write(screen.leave);
  }
}
