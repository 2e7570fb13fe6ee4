import { type Answer, callService } from "./call-service.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "./client.ts";
import type { Command, Group } from "./command.ts";
import { readSettings } from "./settings.ts";

type Commands = Record<string, () => Promise<Command | Group>>;

/** How long a shell waits for ids of the service. */
const patienceMs = 1_000;

/** Returns the words that may follow: commands, flags, and ids that the service knows. */
export async function complete(commands: Commands, typed: string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const [name, second] = typed;
  if (name === undefined) return Object.keys(commands);
  const found = await (Object.hasOwn(commands, name) ? commands[name]?.() : undefined);
  if (!found) return [];
  if ("act" in found) return [...flagsOf(found), ...(await idsFor(found, typed.slice(1), env))];
  if (second === undefined) return Object.keys(found.commands);
  const command = Object.hasOwn(found.commands, second) ? found.commands[second] : undefined;
  return command ? [...flagsOf(command), ...(await idsFor(command, typed.slice(2), env))] : [];
}

const flagsOf = ({ options = {} }: Command): string[] =>
  [...Object.keys(options), "json", "help"].map((one) => `--${one}`);

const lists = { run: "/v1/runs", agent: "/v1/agents", thread: "/v1/threads", schedule: "/v1/jobs" } as const;

/** Of `runs get <run>` the first word is a run's id. A service that doesn't answer at once has none. */
async function idsFor({ usage }: Command, words: string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const kinds = [...usage.matchAll(/<([a-z]+)[^>]*>/g)].map(([, kind = ""]) => kind);
  const kind = kinds[words.filter((word) => !word.startsWith("-")).length] ?? "";
  if (!Object.hasOwn(lists, kind)) return [];
  const page = readList(lists[kind as keyof typeof lists], env).catch(() => null);
  const answer = await Promise.race([page, sleep(patienceMs, null, { ref: false })]);
  return ((answer?.body["data"] ?? []) as { id: string }[]).map(({ id }) => id);
}

/** Asks the user's own service. What runfleet.json of a folder names is asked only by a command that was entered. */
async function readList(path: string, env: NodeJS.ProcessEnv): Promise<Answer> {
  return callService(createClient(readSettings({}, () => ({}), env)), "GET", `${path}?limit=50`);
}
