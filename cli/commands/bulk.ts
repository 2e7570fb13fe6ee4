import { callService } from "../call-service.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../client.ts";
import type { Call, Command } from "../command.ts";
import { Fault } from "../exit-codes.ts";
import { timeOf } from "../operation.ts";
import { ask } from "../ask.ts";
import { readInput } from "./run.ts";

const filters = {
  status: { type: "string" },
  agent: { type: "string" },
  version: { type: "string" },
  since: { type: "string" },
  search: { type: "string" },
  yes: { type: "boolean", short: "y" },
} as const;

export const cancel: Command = {
  usage: "cancel <run>… | --agent a --status s --since 2h [--yes]",
  summary: "Cancels runs: those that are named, or those of a filter, whose number is shown first.",
  options: filters,
  act: (call) => each(call, { action: "cancel", body: null }),
};

export const replay: Command = {
  usage: "replay <run>… | --agent a --status error [--to version] [-i key=value…] [--yes]",
  summary: "Starts new runs with the input of earlier ones, on another version or with another input where named.",
  options: {
    ...filters,
    to: { type: "string" },
    input: { type: "string", short: "i", multiple: true },
    file: { type: "string", short: "f" },
  },
  act: (call) => each(call, { action: "replay", body: changesOf(call.flags) }),
};

function changesOf(flags: Call["flags"]): Json {
  const hasInput = flags["input"] !== undefined || flags["file"] !== undefined;
  return {
    ...(typeof flags["to"] === "string" ? { version: flags["to"] } : {}),
    ...(hasInput ? { input_payload: readInput(flags) } : {}),
  };
}

/** `body`: what a replay changes; null: the operation takes no body. */
type Act = { action: "cancel" | "replay"; body: Json | null };

async function each(call: Call, act: Act): Promise<number> {
  const { words, client, terminal } = call;
  if (words.length === 0) return filtered(call, act);
  for (const id of words) {
    const { body } = await callService(
      client,
      "POST",
      `/v1/runs/${encodeURIComponent(id)}/${act.action}`,
      act.body ?? undefined,
    );
    if (terminal.json) terminal.value(body);
    else terminal.data(act.action === "cancel" ? `${id} ${String(body["status"])}` : String(body["id"]));
  }
  return 0;
}

/** Says how many runs match, asks, and shows the progress. */
async function filtered(call: Call, { action, body }: Act): Promise<number> {
  const { client, terminal, flags } = call;
  const filter = filterOf(flags);
  if (Object.keys(filter).length === 0)
    throw new Fault("usage", `Name runs, or a filter: runfleet ${action} --agent a --status s.`);
  const at = `/v1/runs/bulk/${action}`;
  const { total, more } = (await callService(client, "POST", at, { ...body, filter, preview: true })).body;
  const count = more ? `at least ${String(total)}` : String(total);
  terminal.say(`Runs that match: ${count}${more ? ", since older runs were not counted" : ""}.`);
  if (total === 0 && !more) return 0;
  if (!flags["yes"]) await confirm(action, more ? "all" : String(total));
  return follow(call, (await callService(client, "POST", at, { ...body, filter })).body, count);
}

/** Shows the progress of an operation until it is done. `count`: how many runs there were to begin with. */
async function follow({ client, terminal }: Call, started: Json, count: string): Promise<number> {
  let operation = started;
  let told: unknown = null;
  while (operation["finished_at"] === null) {
    await sleep(500);
    operation = (await callService(client, "GET", `/v1/runs/bulk/${String(operation["id"])}`)).body;
    const line = `${String(operation["done"])} of ${count} done`;
    if (terminal.isLive) terminal.status(line);
    else if (line !== told) terminal.say(line);
    told = line;
  }
  if (terminal.json) terminal.value(operation);
  else terminal.data(`${String(operation["done"])} done, ${String(operation["failed"])} failed`);
  return operation["failed"] === 0 ? 0 : 1;
}

async function confirm(action: string, word: string): Promise<void> {
  if ((await ask(`Type ${word} to ${action} them: `)) !== word)
    throw new Fault("usage", "Nothing was done. --yes does it without asking.");
}

function filterOf(flags: Call["flags"]): Json {
  const { status, agent, version, since, search } = flags;
  return {
    ...(typeof status === "string" ? { status } : {}),
    ...(typeof agent === "string" ? { agent_id: agent } : {}),
    ...(typeof version === "string" ? { version } : {}),
    ...(typeof since === "string" ? { since: timeOf(since) } : {}),
    ...(typeof search === "string" ? { search } : {}),
  };
}
