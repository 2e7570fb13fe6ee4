import { callService } from "../call-service.ts";
import type { Json } from "../client.ts";
import type { Command } from "../command.ts";

/** What tells two runs apart. */
const compared = [
  ...["status", "agent_id", "version", "runtime_mode", "input_payload", "result_content", "error", "attempt"],
  ...["duration_ms", "queue_ms", "usage"],
];

export const diffRuns: Command = {
  usage: "runs diff <run> <run>",
  summary: "Where two runs differ: their input, result, error, times and usage.",
  needs: 2,
  async act({ words, client, terminal }) {
    const [one, other] = await Promise.all(
      words.map(async (id) => (await callService(client, "GET", `/v1/runs/${encodeURIComponent(id)}`)).body),
    );
    const found = compared.flatMap((name) => differencesOf(name, one?.[name], other?.[name]));
    if (terminal.json) terminal.value(Object.fromEntries(found.map(([path, ...values]) => [path, values])));
    else if (found.length === 0) terminal.say("They don't differ.");
    else
      for (const [path, before, after] of found)
        terminal.data(`${path}\n- ${JSON.stringify(before) ?? "–"}\n+ ${JSON.stringify(after) ?? "–"}`);
    return 0;
  },
};

type Difference = [path: string, before: unknown, after: unknown];

function differencesOf(path: string, one: unknown, other: unknown): Difference[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  if (!isObject(one) || !isObject(other)) return [[path, one, other]];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => differencesOf(`${path}.${name}`, one[name], other[name]));
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
