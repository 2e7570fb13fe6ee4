import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";
import pg from "pg";
import { builtMembers, type ChaosStack, openChaosStack } from "../stack/open-stack.ts";
import type { Member } from "../stack/member.ts";
import { agent } from "./agent.ts";
import { openProvider, type Provider } from "./model-provider.ts";

const pollMs = 50;

export type KillOptions = { calls: number; everyMs: number };

/** What came of one run. `begun` and `finished`: calls at the provider. */
export type Shown = { text: string; begun: number; finished: number; kills: number };

/** `quiet`: undisturbed. `faults`: what differed. */
export type KillVerdict = { quiet: Shown; killed: Shown; faults: string[] };

/**
 * Asks an agent, by OpenAI's own client on the service's OpenAI endpoint, once undisturbed and once while the worker that has the
 * run is killed again and again. No kill may cost a call: the answer in flight is read to its end by the worker's gateway.
 */
export async function killWorkers(
  options: KillOptions,
  signal: AbortSignal,
  commands = builtMembers,
): Promise<KillVerdict> {
  const provider = await openProvider();
  const env = { EGRESS_ALLOW: `127.0.0.1:${provider.port}`, EGRESS_ALLOW_CIDRS: "127.0.0.0/8" };
  const stack = await openChaosStack(2, commands, env);
  const sql = new pg.Pool({ connectionString: stack.postgres.url, max: 2 });
  sql.on("error", () => undefined);
  try {
    const [url] = stack.apiUrls;
    await needConnections(sql);
    await publish(url, provider, options.calls);
    const ask = (kills: () => Promise<number>) => showRun(url, provider, kills);
    const quiet = await ask(async () => 0);
    const over = new AbortController();
    const killing = killBusy({ stack, sql, everyMs: options.everyMs, signal: AbortSignal.any([signal, over.signal]) });
    // What the run tells of comes first.
    killing.catch(() => undefined);
    const killed = await ask(() => {
      over.abort();
      return killing;
    });
    return { quiet, killed, faults: faultsOf(options, quiet, killed) };
  } finally {
    provider.close();
    await sql.end();
    await stack.close(false);
  }
}

/** Throws where the machine gives no level that has connections. */
async function needConnections(sql: pg.Pool): Promise<void> {
  const { rows } = await sql.query<{ level: number }>("SELECT (sandbox->>'level')::int AS level FROM workers");
  const level = Math.min(...rows.map((row) => row.level));
  if (level < 2)
    throw new Error(
      `The sandbox is level ${level} here, and connections need level 2: a network namespace of each agent's own.`,
    );
}

function faultsOf({ calls }: KillOptions, quiet: Shown, killed: Shown): string[] {
  const again = killed.begun - calls;
  return [
    ...(quiet.begun === calls ? [] : [`the undisturbed run made ${quiet.begun} calls instead of ${calls}`]),
    ...(killed.text === quiet.text
      ? []
      : [`the text is ${JSON.stringify(killed.text)} instead of ${JSON.stringify(quiet.text)}`]),
    ...(again === 0 ? [] : [`${again} calls were made again, and ${killed.kills} workers were killed`]),
    ...(killed.kills > 0 ? [] : ["no worker was killed"]),
  ];
}

async function publish(url: string, provider: Provider, calls: number): Promise<void> {
  const send = async (method: string, path: string, body: object): Promise<void> => {
    const answer = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  };
  const connection = { preset: "openai", base_url: provider.url, secret: "sk-of-the-provider" };
  await send("PUT", "/v1/connections/openai?user_id=kill", connection);
  const config = { source: agent, connections: ["openai"], env: { CALLS: String(calls) }, max_attempts: 100 };
  await send("POST", "/v1/agents", { user_id: "kill", id: "researcher", name: "researcher", config });
}

async function showRun(url: string, provider: Provider, kills: () => Promise<number>): Promise<Shown> {
  const before = { begun: provider.begun, finished: provider.finished };
  const client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: "none", maxRetries: 0, timeout: 300_000 });
  let text = "";
  const messages = [{ role: "user" as const, content: "What do we know of kingfishers?" }];
  for await (const chunk of await client.chat.completions.create({ model: "researcher", messages, stream: true }))
    text += chunk.choices[0]?.delta.content ?? "";
  const killed = await kills();
  return {
    text,
    kills: killed,
    begun: provider.begun - before.begun,
    finished: provider.finished - before.finished,
  };
}

type Killing = { stack: ChaosStack; sql: pg.Pool; everyMs: number; signal: AbortSignal };

/** Kills each worker some time after it took the run, and returns how often. What a dead worker held lapses at once. */
async function killBusy({ stack, sql, everyMs, signal }: Killing): Promise<number> {
  let kills = 0;
  while (!signal.aborted) {
    await sleep(pollMs);
    const busy = await findBusy(stack, sql);
    if (!busy) continue;
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted || (await findBusy(stack, sql)) !== busy) continue;
    const id = busy.workerId();
    const gone = busy.gone();
    busy.signal("SIGKILL");
    await gone;
    await sql.query("UPDATE runs SET lease_until = now() WHERE status = 'running' AND worker_id = $1", [id]);
    kills += 1;
  }
  return kills;
}

async function findBusy(stack: ChaosStack, sql: pg.Pool): Promise<Member | null> {
  const { rows } = await sql.query<{ worker_id: string }>("SELECT worker_id FROM runs WHERE status = 'running'");
  return stack.workers.find((worker) => rows.some(({ worker_id }) => worker_id === worker.workerId())) ?? null;
}
