import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createRandom, type Random } from "../random.ts";
import { type ChaosStack, type Commands, openChaosStack } from "../stack/open-stack.ts";
import { readEnv } from "../../shared/platform/config/env.ts";
import type { Member } from "../stack/member.ts";
import { adapterOf, type Client, programOf, type Shape, shapes } from "./programs.ts";
import { openProvider, piecesOfAnswer, type Provider } from "./provider.ts";

/** Who is killed: an agent, the worker with its agents, or the gateway with the calls in flight. */
export const victims = ["agent", "worker", "gateway"] as const;
export type Victim = (typeof victims)[number];

/**
 * `runs`: of each client and shape, for each victim, at least; and until so many of its attempts were killed (`deaths`). `pieceMs`: how
 * long the provider takes for a piece of an answer. A run that waits most of the time costs little, and a kill meets a call of it.
 */
export type KillOptions = {
  seed: number;
  pieceMs: number;
  runs: number;
  deaths: number;
  clients: readonly Client[];
  victims: readonly Victim[];
};

/**
 * What came of a client's runs of one shape with one victim. `deaths`: attempts that were killed. `undisturbed`: the calls that as many
 * undisturbed runs are billed.
 */
export type Cell = { client: Client; shape: Shape; runs: number; deaths: number; billed: number; undisturbed: number };
/** `inFlight`: calls that were under way when their gateway was killed. */
export type Tally = { victim: Victim; kills: number; inFlight: number; cells: Cell[] };
export type KillVerdict = { tallies: Tally[]; faults: string[] };

type Run = { cell: Cell; label: string; kill_after_ms: number[] };
type Parts = {
  stack: ChaosStack;
  sql: pg.Pool;
  provider: Provider;
  pieceMs: number;
  random: Random;
  signal: AbortSignal;
  /** What undisturbed runs say, by client and shape. */
  quiet: Map<string, string>;
  faults: string[];
};

const atOnce = { agent: 4, gateway: 6 } as const;
/** As many runs as the workers have slots. */
const waveSize = 24;
/** An agent's own kills of one run. */
const ownKills = 6;
/** A cell that its killer doesn't meet stays below its deaths. */
const mostRuns = 1_000;
const runMs = 120_000;

/**
 * Executes programs that ask models by unmodified clients, while agents, workers or gateways are killed, and compares each run with an
 * undisturbed one: its result, and how many calls the provider was asked. Only a gateway's death may cost calls: those in flight.
 */
export async function killClients(options: KillOptions, signal: AbortSignal, commands: Commands): Promise<KillVerdict> {
  const provider = await openProvider(options.pieceMs);
  const index = Object.entries(readEnv()).filter((entry): entry is [string, string] => entry[0].startsWith("PIP_"));
  const reach = { EGRESS_ALLOW: `127.0.0.1:${provider.port}`, EGRESS_ALLOW_CIDRS: "127.0.0.0/8" };
  const env = { ...Object.fromEntries(index), ...reach, WORKER_SLOTS: "12" };
  const stack = await openChaosStack(2, commands, env);
  const sql = new pg.Pool({ connectionString: stack.postgres.url, max: 3 });
  sql.on("error", () => undefined);
  const faults: string[] = [];
  const quiet = new Map<string, string>();
  const random = createRandom(`${options.seed}/clients`);
  const parts = { stack, sql, provider, pieceMs: options.pieceMs, random, signal, quiet, faults };
  const tallies: Tally[] = [];
  try {
    for (const client of options.clients) await publish(stack.apiUrls[0], provider, client);
    for (const cell of cellsOf(options)) {
      const label = `quiet-${nameOf(cell)}`;
      const { said, fault } = await execute(parts, { cell, label, kill_after_ms: [] });
      const billed = provider.billed.get(label) ?? 0;
      if (fault) faults.push(fault);
      else if (billed !== shapes[cell.shape]) faults.push(`${label}: ${billed} calls instead of ${shapes[cell.shape]}`);
      quiet.set(nameOf(cell), said);
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

const cellsOf = ({ clients }: Pick<KillOptions, "clients">): Cell[] =>
  clients.flatMap((client) =>
    (Object.keys(shapes) as Shape[]).map((shape) => ({
      ...{ client, shape },
      ...{ runs: 0, deaths: 0, billed: 0, undisturbed: 0 },
    })),
  );

const nameOf = ({ client, shape }: Pick<Cell, "client" | "shape">): string => `${client}-${shape}`;

async function killWhile(parts: Parts, options: KillOptions, victim: Victim): Promise<Tally> {
  const { random, signal, faults } = parts;
  const tally: Tally = { victim, kills: 0, inFlight: 0, cells: cellsOf(options) };
  const killsItself = (shape: Shape): number[] =>
    victim === "agent" ? Array.from({ length: ownKills }, () => random.below(100 + 800 * shapes[shape])) : [];
  const isShort = ({ runs, deaths }: Cell): boolean =>
    runs < options.runs || (runs < mostRuns && (victim === "gateway" ? tally.kills : deaths) < options.deaths);
  const work = async (): Promise<void> => {
    for (let cell = nextCell(tally, isShort); cell && !signal.aborted; cell = nextCell(tally, isShort)) {
      const label = `${victim}-${nameOf(cell)}-${cell.runs}`;
      cell.runs += 1;
      faults.push(...(await tryRun(parts, victim, { cell, label, kill_after_ms: killsItself(cell.shape) })));
    }
  };
  if (victim === "worker") await loseWorkers(parts, tally, isShort);
  else {
    const over = new AbortController();
    const killing =
      victim === "gateway" ? killGateways(parts, tally, AbortSignal.any([signal, over.signal])) : Promise.resolve();
    await Promise.all(Array.from({ length: atOnce[victim] }, work));
    over.abort();
    await killing;
  }
  if (victim === "agent") tally.kills = sum(tally.cells, ({ deaths }) => deaths);
  if (tally.kills === 0) faults.push(`no ${victim} was killed`);
  const more = sum(tally.cells, ({ billed, undisturbed }) => billed - undisturbed);
  if (more > tally.inFlight)
    faults.push(`${victim}: ${more} calls more, and ${tally.inFlight} were under way at a kill`);
  return tally;
}

/** One client comes after the other: each worker that is started loads the library of one, and not of all. */
function nextCell({ cells }: Tally, isShort: (cell: Cell) => boolean): Cell | undefined {
  const short = cells.filter(isShort);
  const ofClient = short.filter(({ client }) => client === short[0]?.client);
  return ofClient.toSorted((a, b) => a.deaths - b.deaths || a.runs - b.runs)[0];
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((all, item) => all + of(item), 0);

/** Executes a run, and returns what is wrong with it. Only a gateway's death may cost calls. */
async function tryRun(parts: Parts, victim: Victim, run: Run): Promise<string[]> {
  const { cell, label } = run;
  const { said, fault, restarts } = await execute(parts, run);
  const billed = parts.provider.billed.get(label) ?? 0;
  cell.deaths += restarts;
  cell.billed += billed;
  cell.undisturbed += shapes[cell.shape];
  const isOther = fault === null && said !== parts.quiet.get(nameOf(cell));
  const isDear = victim === "gateway" ? billed < shapes[cell.shape] : billed !== shapes[cell.shape];
  return [
    ...(fault === null ? [] : [fault]),
    ...(isOther ? [`${label}: it says ${said}`] : []),
    ...(isDear ? [`${label}: ${billed} calls instead of ${shapes[cell.shape]}, ${restarts} restarts`] : []),
  ];
}

/**
 * Executes waves of runs. Each wave loses its workers once: one of them, or all at the same moment. So no run loses two workers. It
 * would be executed alone then, which takes minutes where workers die every few seconds.
 */
async function loseWorkers(parts: Parts, tally: Tally, isShort: (cell: Cell) => boolean): Promise<void> {
  const { signal, faults } = parts;
  for (let wave = nextWave(tally, isShort); wave.length > 0 && !signal.aborted; wave = nextWave(tally, isShort)) {
    const over = new AbortController();
    const killing = killWorkers(parts, tally, wave, AbortSignal.any([signal, over.signal]));
    const found = await Promise.all(wave.map((run) => tryRun(parts, "worker", run)));
    faults.push(...found.flat());
    over.abort();
    await killing;
  }
}

function nextWave(tally: Tally, isShort: (cell: Cell) => boolean): Run[] {
  const wave: Run[] = [];
  for (let cell = nextCell(tally, isShort); cell && wave.length < waveSize; cell = nextCell(tally, isShort)) {
    wave.push({ cell, label: `worker-${nameOf(cell)}-${cell.runs}`, kill_after_ms: [] });
    cell.runs += 1;
  }
  return wave;
}

/** Kills when the wave has asked for one of the first half of its answers, at any moment of that answer. What the dead held lapses at once. */
async function killWorkers(
  { stack, sql, provider, random, pieceMs }: Parts,
  tally: Tally,
  wave: readonly Run[],
  signal: AbortSignal,
): Promise<void> {
  const calls = sum(wave, ({ cell }) => shapes[cell.shape]);
  const killAt = 1 + random.below(Math.ceil(calls / 2));
  const asked = (): number => sum(wave, ({ label }) => provider.billed.get(label) ?? 0);
  while (asked() < killAt && !signal.aborted) await sleep(20);
  await sleep(random.below(pieceMs * piecesOfAnswer));
  if (signal.aborted) return;
  const one = stack.workers[random.below(stack.workers.length)];
  const dying = one && random.below(2) === 0 ? [one] : stack.workers;
  const ids = dying.map((worker) => worker.workerId());
  const gone = dying.map((worker) => worker.gone());
  for (const worker of dying) worker.signal("SIGKILL");
  await Promise.all(gone);
  tally.kills += dying.length;
  await sql.query("UPDATE runs SET lease_until = now() WHERE status = 'running' AND worker_id = ANY($1)", [ids]);
  await Promise.all(dying.map((worker) => worker.ready()));
}

/** Kills gateways at random times until the signal, so seldom that most calls are answered. */
async function killGateways({ stack, sql, random }: Parts, tally: Tally, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(2_000 + random.below(6_000), undefined, { signal }).catch(() => undefined);
    const { rows } = await sql.query<{ worker_id: string }>(
      "SELECT worker_id FROM runs WHERE status = 'running' GROUP BY worker_id",
    );
    const busy = stack.workers.filter((worker) => rows.some(({ worker_id }) => worker_id === worker.workerId()));
    const worker = busy[random.below(Math.max(busy.length, 1))];
    if (worker && !signal.aborted) await killGateway(sql, worker, tally);
  }
}

/** Stops a gateway, counts the calls that are under way by it, and kills it. */
async function killGateway(sql: pg.Pool, worker: Member, tally: Tally): Promise<void> {
  const gateway = gatewayOf(worker.pid());
  if (gateway === null || !signalTo(gateway, "SIGSTOP")) return;
  const { rows } = await sql.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM run_open_calls AS open JOIN runs ON runs.id = open.run_id
     WHERE runs.worker_id = $1 AND runs.status = 'running' AND open.attempt = runs.attempt`,
    [worker.workerId()],
  );
  tally.inFlight += rows[0]?.count ?? 0;
  if (signalTo(gateway, "SIGKILL")) tally.kills += 1;
}

function signalTo(pid: number, signal: "SIGSTOP" | "SIGKILL"): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Returns the gateway's process; null where the worker has none. */
function gatewayOf(worker: number | undefined): number | null {
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      if (Number(parent) !== worker) continue;
      if (readFileSync(`/proc/${name}/cmdline`, "utf8").includes("gateway/main.js")) return Number(name);
    } catch {
      // It has ended meanwhile.
    }
  }
  return null;
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

async function execute({ stack, sql }: Parts, { cell, label, kill_after_ms }: Run): Promise<Shown> {
  const { client, shape } = cell;
  const body = { agent_id: client, version: "current", adapter_type: adapterOf(client) };
  const input_payload = { label, shape, kill_after_ms };
  const request = { ...body, user_id: "kill", run_id: label, input_payload };
  const id = await start(stack.apiUrls[0], request);
  return waitForEnd(sql, id, label);
}

/** Starts a run, and asks again as long as the service has no room for it or can't reach its database. Returns the run's id. */
async function start(url: string, request: { run_id: string }): Promise<string> {
  const headers = { "content-type": "application/json", prefer: "respond-async" };
  const until = performance.now() + runMs;
  for (;;) {
    const response = await fetch(`${url}/v1/execute`, { method: "POST", headers, body: JSON.stringify(request) });
    if (response.ok) return request.run_id;
    const text = await response.text();
    if (response.status !== 503 || performance.now() > until)
      throw new Error(`${request.run_id}: it answered ${response.status} ${text}`);
    await sleep(1_000 * Number(response.headers.get("retry-after") ?? 1));
  }
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
    // Looking at two dozen runs more often took a quarter of the machine.
    await sleep(300);
  }
}
