import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { aborted } from "../../shared/platform/lifecycle/run-process.ts";
import { createRandom, type Random } from "../random.ts";
import { builtMembers, type ChaosStack, openChaosStack } from "../stack/open-stack.ts";
import { type Client, programOf, type Shape, shapes } from "./programs.ts";
import { openProvider, type Provider } from "./provider.ts";

/** Who is killed: an agent, the worker with its agents, or the gateway with the calls in flight. */
export const victims = ["agent", "worker", "gateway"] as const;
export type Victim = (typeof victims)[number];

/** `runs`: of each client and shape, for each victim. */
export type KillOptions = { seed: number; runs: number; clients: readonly Client[]; victims: readonly Victim[] };

/** What came of all runs with one victim. `undisturbed`: the calls that as many undisturbed runs are billed. */
export type Tally = { victim: Victim; runs: number; kills: number; billed: number; undisturbed: number };
export type KillVerdict = { tallies: Tally[]; faults: string[] };

type Run = { client: Client; shape: Shape; label: string; kill_after_ms: number[] };
type Parts = {
  stack: ChaosStack;
  sql: pg.Pool;
  provider: Provider;
  random: Random;
  signal: AbortSignal;
  /** What undisturbed runs say, by client and shape. */
  quiet: Map<string, string>;
  faults: string[];
};

const atOnce = 4;
const runMs = 120_000;
/** So many of its workers are killed under a run. On a busy machine a program is loaded no faster than the next kill comes. */
const deathsOfARun = 5;

/**
 * Executes programs that ask models by unmodified clients, while agents, workers or gateways are killed, and compares each run with an
 * undisturbed one: its result, and how many calls the provider was asked. Only a gateway's death may cost calls: those in flight.
 */
export async function killClients(
  options: KillOptions,
  signal: AbortSignal,
  commands = builtMembers,
): Promise<KillVerdict> {
  const provider = await openProvider();
  const env = { EGRESS_ALLOW: `127.0.0.1:${provider.port}`, EGRESS_ALLOW_CIDRS: "127.0.0.0/8" };
  const stack = await openChaosStack(2, commands, env);
  const sql = new pg.Pool({ connectionString: stack.postgres.url, max: 3 });
  sql.on("error", () => undefined);
  const faults: string[] = [];
  const quiet = new Map<string, string>();
  const random = createRandom(`${options.seed}/clients`);
  const parts = { stack, sql, provider, random, signal, quiet, faults };
  const tallies: Tally[] = [];
  try {
    for (const client of options.clients) await publish(stack.apiUrls[0], provider, client);
    for (const run of runsOf({ ...options, runs: 1 }, "quiet", () => [])) {
      const { said, fault } = await execute(parts, run);
      if (fault) faults.push(fault);
      quiet.set(`${run.client} ${run.shape}`, said);
    }
    for (const victim of faults.length > 0 ? [] : options.victims)
      tallies.push(await killWhile(parts, options, victim));
    return { tallies, faults };
  } finally {
    provider.close();
    await sql.end();
    await stack.close(false);
  }
}

function runsOf(options: Omit<KillOptions, "victims">, name: string, kills: () => number[]): Run[] {
  const runs: Run[] = [];
  for (let nth = 0; nth < options.runs; nth += 1)
    for (const client of options.clients)
      for (const shape of Object.keys(shapes) as Shape[])
        runs.push({ client, shape, label: `${name}-${client}-${shape}-${nth}`, kill_after_ms: kills() });
  return runs;
}

async function killWhile(parts: Parts, options: KillOptions, victim: Victim): Promise<Tally> {
  const { random, signal, quiet, faults } = parts;
  const killsItself = (): number[] => (victim === "agent" ? [random.below(500), random.below(700)] : []);
  const runs = runsOf(options, victim, killsItself);
  const over = new AbortController();
  const killing = killOthers(parts, victim, AbortSignal.any([signal, over.signal]));
  const tally: Tally = { victim, runs: runs.length, kills: 0, billed: 0, undisturbed: 0 };
  const left = [...runs];
  const work = async (): Promise<void> => {
    for (let run = left.shift(); run && !signal.aborted; run = left.shift()) {
      const { said, fault, restarts } = await execute(parts, run);
      const billed = parts.provider.billed.get(run.label) ?? 0;
      tally.billed += billed;
      tally.undisturbed += shapes[run.shape];
      if (victim === "agent") tally.kills += restarts;
      if (fault) faults.push(fault);
      else if (said !== quiet.get(`${run.client} ${run.shape}`)) faults.push(`${run.label}: it says ${said}`);
      if (victim !== "gateway" && billed !== shapes[run.shape])
        faults.push(`${run.label}: ${billed} calls instead of ${shapes[run.shape]}, ${restarts} restarts`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  over.abort();
  tally.kills += await killing;
  if (tally.kills === 0) faults.push(`no ${victim} was killed`);
  return tally;
}

/** Kills workers or gateways at random times until the signal, and returns how many. What a dead worker held lapses at once. */
async function killOthers({ stack, sql, random }: Parts, victim: Victim, signal: AbortSignal): Promise<number> {
  let kills = 0;
  const over = aborted(signal);
  while (victim !== "agent" && !signal.aborted) {
    await sleep(100 + random.below(500), undefined, { signal }).catch(() => undefined);
    const { rows } = await sql.query<{ worker_id: string }>(
      "SELECT worker_id FROM runs WHERE status = 'running' GROUP BY worker_id HAVING max(lost_attempts) < $1",
      [deathsOfARun],
    );
    const busy = stack.workers.filter((worker) => rows.some(({ worker_id }) => worker_id === worker.workerId()));
    const worker = busy[random.below(Math.max(busy.length, 1))];
    if (!worker || signal.aborted) continue;
    if (victim === "worker") {
      const id = worker.workerId();
      const gone = worker.gone();
      worker.signal("SIGKILL");
      await gone;
      await sql.query("UPDATE runs SET lease_until = now() WHERE status = 'running' AND worker_id = $1", [id]);
      kills += 1;
      // Runs go on at the other worker meanwhile.
      await Promise.race([worker.ready(), over]);
    } else if (killGateway(worker.pid())) kills += 1;
  }
  return kills;
}

/** Returns false where the worker has none. */
function killGateway(worker: number | undefined): boolean {
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      if (Number(parent) !== worker) continue;
      if (!readFileSync(`/proc/${name}/cmdline`, "utf8").includes("gateway/main.js")) continue;
      process.kill(Number(name), "SIGKILL");
      return true;
    } catch {
      // It has ended meanwhile.
    }
  }
  return false;
}

async function publish(url: string, provider: Provider, client: Client): Promise<void> {
  const { connection, config, adapter_type } = await programOf(client);
  await send(url, "PUT", `/v1/connections/${connection}?user_id=kill`, {
    preset: connection,
    base_url: provider.url,
    secret: "sk-of-the-provider",
  });
  const retry = { max_attempts: 9, delay_ms: 0 };
  await send(url, "POST", "/v1/agents", {
    ...{ user_id: "kill", id: client, name: client, adapter_type },
    config: { ...config, connections: [connection], max_attempts: 100, retry },
  });
}

async function send(url: string, method: string, path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}

type Shown = { said: string; fault: string | null; restarts: number };

async function execute({ stack, sql }: Parts, { client, label, shape, kill_after_ms }: Run): Promise<Shown> {
  const body = { agent_id: client, version: "current", adapter_type: client === "urllib" ? "python" : "node" };
  const input_payload = { label, shape, kill_after_ms };
  const response = await fetch(`${stack.apiUrls[0]}/v1/execute`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "respond-async" },
    body: JSON.stringify({ ...body, user_id: "kill", input_payload }),
  });
  const { id } = (await response.json()) as { id?: string };
  if (id === undefined) return { said: "", fault: `${label}: it answered ${response.status}`, restarts: 0 };
  return waitForEnd(sql, id, label);
}

async function waitForEnd(sql: pg.Pool, id: string, label: string): Promise<Shown> {
  const until = performance.now() + runMs;
  for (;;) {
    const { rows } = await sql.query<{ status: string; attempt: number; result_content: unknown; error: unknown }>(
      "SELECT status, attempt, result_content, error FROM runs WHERE id = $1",
      [id],
    );
    const [run] = rows;
    if (!run) return { said: "", fault: `${label}: it is gone`, restarts: 0 };
    const restarts = run.attempt - 1;
    if (run.status === "success") return { said: JSON.stringify(run.result_content), fault: null, restarts };
    if (run.status === "error" || performance.now() > until)
      return { said: "", fault: `${label}: ${run.status} ${JSON.stringify(run.error)}`, restarts };
    await sleep(50);
  }
}
