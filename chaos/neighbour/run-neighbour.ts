import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createRandom } from "../random.ts";
import { builtMembers, type ChaosStack, openChaosStack } from "../stack/open-stack.ts";
import { createFleetClient, type Ending, type FleetClient } from "./client.ts";
import { type HostileAgent, hostileAgents } from "./hostile-agents.ts";
import { type Endings, startHostileLoad } from "./hostile-load.ts";

export type NeighbourOptions = {
  seed: number;
  /** How many of the attacks, chosen by the seed. */
  attacks: number;
  /** How long each attack lasts, and the quiet time before the first. */
  seconds: number;
  /** Only agents whose name contains this text. */
  only: string;
};

/** Another owner's runs during some time; in ms. `failures`: the last events of runs that did not succeed. */
export type Beside = { runs: number; p50: number; p99: number; failures: string[] };
export type Verdict = {
  quiet: Beside;
  attacks: Withstood[];
  /** Faults of the whole test: an attempt of the neighbour was charged, or a process was restarted. */
  faults: string[];
};

/** `faults`: broken promises. `slow`: set when the neighbour's runs took longer than allowed. */
type Withstood = { attack: HostileAgent; endings: Endings; beside: Beside; faults: string[]; slow: string[] };

/** Hostile runs at a time: as many as one worker has slots. */
const hostileRuns = 8;
const neighbourClients = 3;
const pauseMs = 25;
const hostileTimeoutMs = 3_000;
/** Enough for a probe on a machine that the hostile runs have just left, and that has other work. */
const probeTimeoutMs = 60_000;
/** A neighbour's slowest runs may take this many times as long as on a quiet fleet; at least `leastAllowedMs` are allowed. */
const slower = 10;
const leastAllowedMs = 250;

const neighbourSource = "import json\ndef main(input):\n    yield 'Hello'\n    return {'got': input}\n";

/**
 * Runs hostile agents of one owner on a fleet of two workers, one agent after another, while another owner's runs go on, and
 * measures how the other owner's runs suffer.
 */
export async function runNeighbour(
  options: NeighbourOptions,
  signal: AbortSignal,
  commands = builtMembers,
): Promise<Verdict> {
  const chosen = choose(options);
  if (chosen.length === 0) throw new Error(`No hostile agent has "${options.only}" in its name.`);
  const stack = await openChaosStack(2, commands, { EGRESS_ALLOW_CIDRS: "127.0.0.0/8" });
  const client = createFleetClient(stack.apiUrls[0]);
  try {
    await client.publish("neighbour", "neighbour", { source: neighbourSource });
    for (let i = 0; i < 40; i += 1) await client.run("neighbour", { i });
    const quiet = await watchNeighbour(client, AbortSignal.timeout(options.seconds * 1_000));
    const attacks: Verdict["attacks"] = [];
    for (const attack of chosen) {
      if (signal.aborted) break;
      attacks.push(await withstand(client, attack, { url: stack.apiUrls[0], quiet, seconds: options.seconds }));
    }
    return { quiet, attacks, faults: await wholeFaults(stack) };
  } finally {
    client.close();
    await stack.close(false);
  }
}

function choose({ seed, attacks, only }: NeighbourOptions): HostileAgent[] {
  const random = createRandom(`${seed}/neighbour`);
  return hostileAgents
    .filter(({ name }) => name.includes(only))
    .map((attack) => ({ attack, order: random.next() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, attacks)
    .map(({ attack }) => attack);
}

type Beneath = { url: string; quiet: Beside; seconds: number };

async function withstand(
  client: FleetClient,
  attack: HostileAgent,
  { url, quiet, seconds }: Beneath,
): Promise<Withstood> {
  await client.publish("hostile", attack.name, { source: attack.source, ...attack.config });
  const runtime_mode = attack.config["network"] === undefined ? "standard" : "full";
  // What attacks whenever it is imported has no honest run: the probe would only wait for its time limit.
  const probe = async () =>
    attack.harmsItself ? null : client.run(attack.name, { do: "probe" }, { runtime_mode, timeout_ms: probeTimeoutMs });
  const before = await probe();
  const load = { url, agentId: attack.name, runs: hostileRuns, seconds };
  const [endings, beside] = await Promise.all([
    startHostileLoad({ ...load, runtime_mode, timeout_ms: hostileTimeoutMs }),
    watchNeighbour(client, AbortSignal.timeout(seconds * 1_000)),
  ]);
  const after = await probe();
  const changed = before && after ? changeFaults(before, after) : [];
  const failed = [...new Set(beside.failures)].map((event) => `runs of the neighbour ended as ${event}`);
  return {
    attack,
    endings,
    beside,
    faults: [...failed, ...executionFaults(endings), ...changed],
    slow: slowness(beside, quiet),
  };
}

/** Executes the neighbour's runs, one after another for each of its clients, until `over` aborts. */
async function watchNeighbour(client: FleetClient, over: AbortSignal): Promise<Beside> {
  const times: number[] = [];
  const failures: string[] = [];
  await Promise.all(
    Array.from({ length: neighbourClients }, async () => {
      while (!over.aborted) {
        const { event, ms } = await client.run("neighbour", { at: times.length });
        if (event === "run.success") times.push(ms);
        else failures.push(event);
        await sleep(pauseMs);
      }
    }),
  );
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => Math.round(sorted[Math.floor(sorted.length * part)] ?? Number.NaN);
  return { runs: times.length, p50: at(0.5), p99: at(0.99), failures };
}

function slowness(beside: Beside, quiet: Beside): string[] {
  const allowed = Math.max(slower * quiet.p99, leastAllowedMs);
  return beside.p99 < allowed ? [] : [`the neighbour's p99 is ${beside.p99} ms, ${allowed} are allowed`];
}

/** An attack that no sandbox has executed shows nothing. */
export function executionFaults(endings: Endings): string[] {
  const executed = Object.keys(endings).filter((event) => event.startsWith("run."));
  return executed.length > 0 ? [] : [`no hostile run was executed: ${JSON.stringify(endings)}`];
}

/** A later run of the agent finds the sandbox as an earlier one did, before the attack. */
export function changeFaults(before: Ending, after: Ending): string[] {
  if (before.event !== "run.success") return [`an honest run of the same agent ended as ${before.event}`];
  const same = before.event === after.event && JSON.stringify(before.result) === JSON.stringify(after.result);
  return same ? [] : [`a later run finds ${JSON.stringify(after)}, an earlier one ${JSON.stringify(before)}`];
}

async function wholeFaults({ postgres, apis, workers }: ChaosStack): Promise<string[]> {
  const sql = new pg.Client({ connectionString: postgres.url });
  await sql.connect();
  try {
    const { rows: charged } = await sql.query<{ fault: string }>(
      `SELECT concat_ws(' ', runs.id, 'was charged', failed_attempts, 'failed and', lost_attempts, 'lost attempts:',
         (SELECT string_agg(concat_ws(' ', "from", '->', "to", actor, reason), ', ' ORDER BY seq)
          FROM run_transitions WHERE run_id = runs.id)) AS fault
       FROM runs WHERE agent_id = 'neighbour' AND (failed_attempts > 0 OR lost_attempts > 0) LIMIT 5`,
    );
    const restarts = [...apis, ...workers].filter((member) => member.surprises() > 0).map(({ name }) => name);
    return [
      ...charged.map(({ fault }) => fault),
      ...(restarts.length > 0 ? [`restarted: ${restarts.join(", ")}`] : []),
    ];
  } finally {
    await sql.end();
  }
}
