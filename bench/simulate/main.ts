import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startPostgres } from "../../dev/postgres.ts";
import { reachableFolder } from "../../dev/reachable.ts";
import { deployMigrations } from "../../prisma/deploy.ts";
import { runProcess } from "../../shared/platform/lifecycle/run-process.ts";
import { openDb } from "../../shared/store/client.ts";
import { type Cost, createMeter, type Meter } from "./cost.ts";
import { agent, connections, createFleet, type Fleet, owner } from "./fleet.ts";
import { readSizes, type Size } from "./sizes.ts";

/**
 * `npm run simulate` drives the statements of fleets of several sizes on a Postgres of its own, with coroutines for workers, and
 * prints what a second of each fleet costs Postgres. `-- 250 25000`: one size, workers and live runs; `-- all`: up to 500 workers and
 * 100,000 runs. A second is done as fast as this machine can: so a fleet may be larger than what it could carry.
 */
const seconds = 3;
/** So long a run lasts on average, as an agent that talks to a model for a while: so many of the live ones end in a second. */
const runS = 120;
type Row = { part: string; cost: Cost };

async function simulate(): Promise<void> {
  const sizes = readSizes(process.argv.slice(2));
  console.log(
    `${cpus().length} cores, ${cpus()[0]?.model}. Processor time of Postgres in one second of the fleet, in cores.\n`,
  );
  console.log(head);
  for (const size of sizes) console.log(lineOf(size, await measure(size)));
}

async function measure(size: Size): Promise<Row[]> {
  const directory = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-bench"), "simulate-"));
  chmodSync(directory, 0o711);
  const postgres = await startPostgres({ dataDir: directory });
  try {
    await deployMigrations(postgres.url);
    await seed(postgres.url);
    const db = openDb(postgres.url, connections, () => undefined);
    try {
      const meter = createMeter(db.sql, postgres.pid);
      const fleet = createFleet(db, size);
      const filled = await meter.measure(() => fleet.fill());
      await withClient(postgres.url, (client) => client.query("VACUUM ANALYZE runs"));
      return [{ part: "fill", cost: filled }, ...(await measureParts(meter, fleet, size))];
    } finally {
      await db.close();
    }
  } finally {
    await postgres.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measureParts(meter: Meter, fleet: Fleet, { live }: Size): Promise<Row[]> {
  const ending = Math.max(1, Math.round(live / runS));
  const parts: [string, () => Promise<void>][] = [
    ["renew", () => fleet.renew()],
    ["tick", () => fleet.tick()],
    ["reconcile", () => fleet.reconcile()],
    ["turn", () => fleet.turn(ending)],
    ["book", () => fleet.book()],
    ["speak", () => fleet.speak()],
  ];
  const rows: Row[] = [];
  for (const [part, work] of parts) {
    // The first time, statements are planned and pages read.
    await work();
    const cost = await meter.measure(async () => {
      for (let second = 0; second < seconds; second += 1) await work();
    });
    rows.push({
      part,
      cost: { cpuS: cost.cpuS / seconds, transactions: cost.transactions / seconds, walBytes: cost.walBytes / seconds },
    });
  }
  return rows;
}

/** A connection that waits for its answer as long as it takes. */
async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

const seed = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    await client.query("INSERT INTO users (id, name) VALUES ($1, 'Ada')", [owner]);
    await client.query("INSERT INTO agents (id, user_id, name, current_version) VALUES ($1, $2, 'Agent', '1.0.0')", [
      agent,
      owner,
    ]);
    await client.query(`INSERT INTO agent_versions (agent_id, version, config) VALUES ($1, '1.0.0', '{"source":""}')`, [
      agent,
    ]);
  });

const parts = ["renew", "tick", "reconcile", "turn", "book", "speak"];
const head = [
  `| workers | live runs | accept and claim, ms a run | ${["leases", "idle loops", "reconcile", "runs that end and begin", "book usage", "all speak"].join(" | ")} | together | transactions a second | WAL, MB a second |`,
  `|${"---|".repeat(parts.length + 6)}`,
].join("\n");

function lineOf({ workers, live }: Size, rows: readonly Row[]): string {
  const costOf = (name: string): Cost =>
    rows.find(({ part }) => part === name)?.cost ?? { cpuS: 0, transactions: 0, walBytes: 0 };
  const sum = (of: (cost: Cost) => number): number => parts.reduce((all, part) => all + of(costOf(part)), 0);
  const cells = [
    workers,
    live,
    ((costOf("fill").cpuS * 1_000) / live).toFixed(2),
    ...parts.map((part) => costOf(part).cpuS.toFixed(2)),
    sum(({ cpuS }) => cpuS).toFixed(2),
    sum(({ transactions }) => transactions).toFixed(0),
    (sum(({ walBytes }) => walBytes) / 1e6).toFixed(1),
  ];
  return `| ${cells.join(" | ")} |`;
}

await runProcess(simulate);
