import { NotFoundError } from "../../sdk/ts/index.ts";
import { showAndAnswer } from "../answer-questions.ts";
import type { Call, Command } from "../command.ts";
import { exitCodes, Fault } from "../exit-codes.ts";
import { timeOf } from "../operation.ts";
import type { Terminal } from "../terminal.ts";
import { textOf } from "../table.ts";

type Changes = Call["client"]["runs"]["streamChanges"];
type Filter = NonNullable<Parameters<Changes>[0]>;
type Event = ReturnType<Changes> extends AsyncGenerator<infer One> ? One : never;
type Changed = Extract<Event, { type: "run.changed" }>;

export const tail: Command = {
  usage: "tail <run|agent> | --all [--status s] [--since 2h]",
  summary:
    "Shows a run from its beginning, and on while it goes. Of an agent, or of all with --all: a line for each change of a run.",
  options: { all: { type: "boolean" }, status: { type: "string" }, since: { type: "string" } },
  async act(call) {
    const { words, flags, client, terminal } = call;
    const [name] = words;
    if (name === undefined && !flags["all"]) throw new Fault("usage", "Name a run or an agent, or give --all.");
    if (name !== undefined && (await isRun(call, name))) return showAndAnswer(terminal, client.attach(name));
    const { status } = flags;
    return followList(call, {
      ...(name === undefined ? {} : { agent_id: name }),
      ...(typeof status === "string" ? { status: status.split(",") as Filter["status"] } : {}),
    });
  },
};

/** Returns false for the name of an agent. Throws when neither is there. */
export async function isRun({ client }: Call, name: string): Promise<boolean> {
  try {
    await client.runs.get(name);
    return true;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    await client.agents.get(name).catch((other: unknown) => {
      throw name.startsWith("run_") ? error : other;
    });
    return false;
  }
}

/** Shows the changes of a list of runs until it is stopped. With --since, its runs from then on first. */
async function followList({ client, flags, terminal }: Call, filter: Filter): Promise<number> {
  const since = typeof flags["since"] === "string" ? timeOf(flags["since"]) : null;
  process.once("SIGINT", () => process.exit(exitCodes.detached));
  for await (const event of client.runs.streamChanges(filter)) {
    show(terminal, event);
    if (since === null || !isStart(event)) continue;
    for await (const run of client.runs.list({ ...filter, since, order: "asc" }))
      show(terminal, { type: "run.changed", matches: true, ...run });
  }
  return 0;
}

const isStart = (event: Event): boolean => event.type === "resync" && event.reason === "start";

function show(terminal: Terminal, event: Event): void {
  if (terminal.json) terminal.value(event);
  else if (event.type === "run.changed") showChange(terminal, event);
  else if (!isStart(event)) terminal.say("… some changes are left out: more came at once than are told");
}

function showChange(terminal: Terminal, { matches, ...run }: Changed): void {
  if (!matches) return;
  const { id, status, agent_id, version, error, duration_ms, input_preview } = run;
  const time = new Date(run.completed_at ?? run.started_at ?? run.created_at).toTimeString().slice(0, 8);
  const took = duration_ms === null ? "" : `${(duration_ms / 1000).toFixed(2)} s`;
  const what = error ? `${error.code}: ${error.message}` : (input_preview ?? "");
  const parts = [time, status.padEnd(11), `${agent_id}@${version}`, id, took, what];
  terminal.data(textOf(parts.filter((part) => part !== "").join("  ")));
}
