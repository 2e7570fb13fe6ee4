import pg from "pg";
import { createRandom, shuffled } from "../random.ts";
import { builtMembers, type ChaosStack, openChaosStack } from "../stack/open-stack.ts";
import { executeProgram, publishPrograms } from "./execute-program.ts";
import { faultsOf, faultsOfChildren, faultsOfPlaces, type Shown, shownOf } from "./find-faults.ts";
import { type Killer, openKiller } from "./kill-workers.ts";
import { programs } from "./programs.ts";

/**
 * `sweep`: true to execute each program also once for each of its entries, whose commit ends its worker. `runs`: so many more, some
 * of them with such an entry. `slots`: of each worker; with fewer than runs each wait suspends its run at once. No run begins after
 * `seconds`. `only`: of the programs whose names have this in them.
 */
export type DurableOptions = {
  seed: number;
  runs: number;
  clients: number;
  slots: number;
  sweep: boolean;
  seconds: number;
  only?: string | undefined;
};

/** `faults`: what a run did other than the same program's run that nothing disturbed, and what the verdict says nothing of. */
export type DurableVerdict = {
  runs: number;
  left: number;
  kills: ReturnType<Killer["kills"]>;
  restarts: number;
  suspensions: number;
  signals: number;
  /** Restarts of programs whose steps race. */
  races: number;
  faults: string[];
  surprises: number;
};

/** `place`: the run's entry whose commit ends its worker. */
type Planned = { name: string; place?: number };

const workers = 3;
/** The runs beside the sweep that have such an entry: every second one, and no more than this. */
const mostPlaces = 500;

/**
 * Executes programs that do steps and wait while workers are killed, and compares each run with a run of its program that nothing
 * disturbed: the result, the words that stand, that no step began after its end, that each call started one run, and that each signal
 * was taken once or is listed.
 */
export async function runDurable(
  options: DurableOptions,
  signal: AbortSignal,
  commands = builtMembers,
): Promise<DurableVerdict> {
  const { seed, clients, slots, seconds } = options;
  const stack = await openChaosStack(workers, commands, { WORKER_SLOTS: String(slots) });
  const sql = new pg.Pool({ connectionString: stack.postgres.url, max: 3 });
  sql.on("error", () => undefined);
  const random = createRandom(`${seed}/durable`);
  const verdict = { runs: 0, restarts: 0, suspensions: 0, signals: 0, races: 0, faults: [] as string[] };
  try {
    await publishPrograms(stack.apiUrls[0]);
    const asked = Object.keys(programs).filter((name) => name.includes(options.only ?? ""));
    const names = shuffled(asked.toSorted(), random);
    // Those of a small sample.
    const chosen = options.sweep ? names : names.slice(0, options.runs);
    const { quiet, entries } = await executeQuietly(stack, sql, chosen);
    for (const [name, { ended, result }] of quiet)
      if (ended !== "run.success") verdict.faults.push(`${name}, undisturbed: ${ended} ${result}`);
    const plan = verdict.faults.length > 0 ? [] : planOf(options, entries);
    const killer = await openKiller({ stack, sql, random, mostEntries: 2 * clients });
    killer.start();
    const until = performance.now() + seconds * 1_000;
    const execute = async ({ name, place }: Planned): Promise<void> => {
      const onAccepted = (id: string): void => (place === undefined ? undefined : killer.killAfter(id, place));
      const own = createRandom(`${seed}/${name}/${verdict.runs}`);
      verdict.runs += 1;
      const execution = await executeProgram({ urls: stack.apiUrls, random: own, onAccepted }, name);
      const count = (type: string): number => execution.events.filter(({ event }) => event === type).length;
      const suspensions = count("run.suspended") + count("run.interrupted");
      verdict.suspensions += suspensions;
      verdict.restarts += count("run.started") - 1 - suspensions;
      if (name.endsWith("race")) verdict.races += count("run.started") - 1;
      verdict.signals += execution.accepted.length + (programs[name]?.signals?.length ?? 0);
      verdict.faults.push(...faultsOf(name, execution, quiet.get(name)));
    };
    const client = async (): Promise<void> => {
      for (let next = plan.shift(); next && !signal.aborted && performance.now() < until; next = plan.shift()) {
        const { name } = next;
        await execute(next).catch((error: unknown) => verdict.faults.push(`${name}: ${String(error)}`));
      }
    };
    const planned = plan.length;
    await Promise.all(Array.from({ length: clients }, client));
    await killer.close();
    verdict.faults.push(...(await faultsOfPlaces(sql)), ...(await faultsOfChildren(sql)));
    const surprises = [...stack.apis, ...stack.workers].reduce((sum, member) => sum + member.surprises(), 0);
    const found = { runs: verdict.runs, left: planned - verdict.runs, kills: killer.kills(), surprises };
    if (!signal.aborted && verdict.faults.length === 0) verdict.faults.push(...whatIsUnproven(found));
    return { ...verdict, ...found };
  } finally {
    await sql.end();
    await stack.close(verdict.faults.length > 0);
  }
}

/** A verdict on nothing, and on a fleet whose other processes hid that one of them crashed, is none. */
export function whatIsUnproven({
  runs,
  left,
  kills,
  surprises,
}: Pick<DurableVerdict, "runs" | "left" | "kills" | "surprises">): string[] {
  const faults: string[] = [];
  if (runs === 0) faults.push("no run was executed");
  if (left > 0) faults.push(`${left} runs were not begun in time`);
  if (kills.places + kills.entries + kills.moments === 0) faults.push("no worker was killed");
  if (surprises > 0) faults.push(`${surprises} processes ended by themselves`);
  return faults;
}

/** What each program shows, and how many entries it keeps, when nothing disturbs it. */
async function executeQuietly(
  { apiUrls: urls }: ChaosStack,
  sql: pg.Pool,
  names: readonly string[],
): Promise<{ quiet: Map<string, Shown>; entries: Map<string, number> }> {
  const quiet = new Map<string, Shown>();
  const entries = new Map<string, number>();
  const random = createRandom("quiet");
  await Promise.all(
    names.map(async (name) => {
      const { run_id, events } = await executeProgram({ urls, random }, name);
      quiet.set(name, shownOf(events));
      const { rows } = await sql.query<{ last_place: number }>(
        "SELECT last_place FROM run_journals WHERE run_id = $1",
        [run_id],
      );
      entries.set(name, rows[0]?.last_place ?? 0);
    }),
  );
  return { quiet, entries };
}

function planOf({ seed, runs, sweep }: DurableOptions, entries: ReadonlyMap<string, number>): Planned[] {
  const random = createRandom(`${seed}/plan`);
  const names = [...entries.keys()].toSorted();
  const places = [...entries].flatMap(([name, count]): Planned[] =>
    Array.from({ length: count }, (_, place) => ({ name, place: place + 1 })),
  );
  const every = Math.max(2, Math.ceil(runs / mostPlaces));
  const others = Array.from({ length: runs }, (_, n): Planned => {
    const name = names[n % names.length] ?? "";
    return n % every === 1 ? { name, place: 1 + random.below(entries.get(name) ?? 1) } : { name };
  });
  return shuffled([...(sweep ? places : []), ...others], random);
}
