import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { findBubblewrap } from "../dev/bubblewrap.ts";
import { freePort } from "../dev/free-port.ts";
import { cacheDir, projectFolder } from "../dev/reachable.ts";
import { type Supervised, supervise } from "../dev/supervise.ts";
import { readEnv } from "../shared/platform/config/env.ts";
import { type BenchStack, withStack } from "./with-stack.ts";

const runs = 3_000;
/** Each run waits for so long, as for a model. */
const waitsMs = 15_000;
/** So many clients send them, as fast as they are accepted. */
const senders = 16;
const slots = 64;
const mostWorkers = 6;
/** As the chart's `targetPercent`. */
const target = 0.75;
const pollMs = 2_000;
/** As the chart's policy: the double or 4 more at most within this time. */
const growMs = 15_000;
/** The chart's 600 s, told in a tenth: a worker less at a time. */
const shrinkMs = 60_000 / 10;
const sayMs = 4_000;
const withinMs = 400_000;
/** Starting the fleet, and twice what its slots need for all runs. */
const oldestMs = 60_000 + (2 * runs * waitsMs) / (mostWorkers * slots);

const key = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
const source = `import time\ndef main(input):\n    time.sleep(${waitsMs / 1_000})\n    return 1\n`;

type Point = { at: number; demand: number; queued: number; oldestS: number; workers: number; slots: number };

/**
 * A wave of runs over a fleet that a controller scales by `/metrics`, as KEDA does by the chart: from no worker to as many as the
 * gauge asks for and back to none. Returns the curve. Throws when a run was refused or lost.
 */
export const benchScaling = async (signal: AbortSignal): Promise<string> =>
  withStack(
    signal,
    {
      PORT: String(await freePort()),
      WORKERS: "0",
      EXPECTED_ADAPTERS: "python",
      OWNER_QUEUE_LIMIT: "100000",
      AGENT_QUEUE_LIMIT: "100000",
      ENCRYPTION_KEYS: key,
    },
    (stack) => ride(stack, signal),
  );

async function ride(stack: BenchStack, signal: AbortSignal): Promise<string> {
  const sql = new pg.Client({ connectionString: stack.databaseUrl });
  await sql.connect();
  const fleet = await openFleet(stack);
  try {
    await untilAnswers(stack.url, signal);
    await stack.client.publish("waiting", { source, limits: { memory_mb: 32 } });
    const began = performance.now();
    const curve: Point[] = [];
    const refused = send(stack.url);
    await control(stack, fleet, signal, (point) => void curve.push({ ...point, at: performance.now() - began }));
    const { rows } = await sql.query<Ends>(ends);
    const [end] = rows;
    await fleet.close();
    const faults = { refused: await refused, lost: runs - (end?.succeeded ?? 0), again: end?.again ?? 0 };
    if (faults.refused + faults.lost > 0) throw new Error(`Runs were refused or lost: ${JSON.stringify(faults)}`);
    if ((end?.oldest_ms ?? 0) > oldestMs) throw new Error(`A run has waited for ${end?.oldest_ms} ms.`);
    return report(curve, { ...faults, oldestS: (end?.oldest_ms ?? 0) / 1_000 });
  } finally {
    await fleet.close();
    await sql.end();
  }
}

type Ends = { succeeded: number; again: number; oldest_ms: number };
const ends = `SELECT count(*) FILTER (WHERE status = 'success')::int AS succeeded, count(*) FILTER (WHERE attempt > 1)::int AS again,
  max(extract(epoch FROM started_at - created_at) * 1000)::float8 AS oldest_ms FROM runs`;

/** Sends the wave. Returns how many runs were refused. */
async function send(url: string): Promise<number> {
  const headers = { "content-type": "application/json", prefer: "respond-async" };
  const body = JSON.stringify({ agent_id: "waiting", version: "current" });
  let [left, refused] = [runs, 0];
  const sender = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const response = await fetch(`${url}/v1/execute`, { method: "POST", headers, body }).catch(() => null);
      await response?.text();
      if (response?.status !== 202) refused += 1;
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  return refused;
}

type Fleet = { size(): number; scale(size: number): void; close(): Promise<void> };

async function openFleet({ databaseUrl, redisUrl }: BenchStack): Promise<Fleet> {
  const bwrap = await findBubblewrap(cacheDir());
  const env = {
    ...readEnv(),
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: key,
    WORKER_SLOTS: String(slots),
    WORKER_MEMORY_MB: "16384",
    SANDBOX_MIN_LEVEL: "0",
    LOG_LEVEL: "error",
    // Longer than a run: a leaving worker's runs end there.
    SHUTDOWN_GRACE_MS: String(waitsMs * 1.5),
    ...(bwrap && { BWRAP: bwrap }),
  };
  const workers: Supervised[] = [];
  const leaving: Promise<void>[] = [];
  return {
    size: () => workers.length,
    scale(size) {
      while (workers.length < size)
        workers.push(supervise(join(projectFolder(), "dist/worker/main.js"), { env, output: "inherit", onStart() {} }));
      leaving.push(...workers.splice(size).map((worker) => worker.stop(waitsMs * 2)));
    },
    async close() {
      leaving.push(...workers.splice(0).map((worker) => worker.stop(waitsMs * 2)));
      await Promise.all(leaving);
    },
  };
}

/** Scales by the gauge until the wave is over and no worker is left. */
async function control(
  { url }: BenchStack,
  fleet: Fleet,
  signal: AbortSignal,
  say: (point: Omit<Point, "at">) => void,
): Promise<void> {
  const next = createScaler();
  const latest = performance.now() + withinMs;
  for (let isBegun = false; ; await sleep(pollMs, undefined, { signal })) {
    const point = { ...(await scrape(url)), workers: fleet.size() };
    say(point);
    if (performance.now() > latest) throw new Error("The wave was not over in time.");
    isBegun ||= point.demand > 0;
    fleet.scale(next(point));
    if (isBegun && point.demand === 0 && fleet.size() === 0) return;
  }
}

/** Returns how many workers there are to be, as the chart's policies have it. */
function createScaler(): (point: Pick<Point, "demand" | "workers">) => number {
  let [grewAt, calmSince] = [-Infinity, 0];
  return ({ demand, workers }) => {
    const now = performance.now();
    const wanted = Math.min(mostWorkers, Math.ceil(demand / (slots * target)));
    if (wanted >= workers) calmSince = now;
    if (wanted > workers && now - grewAt > growMs) {
      grewAt = now;
      return Math.min(wanted, workers + (workers === 0 ? 1 : Math.max(workers, 4)));
    }
    if (wanted >= workers || now - calmSince <= shrinkMs) return workers;
    calmSince = now;
    return workers - 1;
  };
}

async function scrape(url: string): Promise<Omit<Point, "at" | "workers">> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const valueOf = (series: string): number => {
    const line = text.split("\n").find((each) => each.startsWith(`${series} `));
    if (line === undefined) throw new Error(`/metrics has no ${series}.`);
    return Number(line.slice(series.length));
  };
  return {
    demand: valueOf('runfleet_demand_slots{pool="default"}'),
    queued: valueOf('runfleet_queue_depth{queue="runs",pool="default"}'),
    oldestS: valueOf('runfleet_queue_oldest_seconds{queue="runs",pool="default"}'),
    slots: valueOf('runfleet_worker_slots{pool="default",state="all"}'),
  };
}

async function untilAnswers(url: string, signal: AbortSignal): Promise<void> {
  while (!(await fetch(`${url}/health/ready`).catch(() => null))?.ok) await sleep(100, undefined, { signal });
}

function report(curve: readonly Point[], end: { again: number; oldestS: number }): string {
  const shown = curve.filter(
    ({ at }, nth) => nth === 0 || Math.floor(at / sayMs) > Math.floor((curve[nth - 1]?.at ?? 0) / sayMs),
  );
  const most = (of: (point: Point) => number): number => Math.max(...curve.map(of));
  return [
    `${runs} runs of ${waitsMs / 1_000} s at once, ${slots} slots a worker, at most ${mostWorkers} workers. Refused: 0. Lost: 0. More than one attempt: ${end.again}. ` +
      `Most queued: ${most(({ queued }) => queued)}. Longest in the queue: ${end.oldestS.toFixed(1)} s.`,
    "",
    "| s | demand | queued | oldest, s | workers | their slots |",
    "|---|---|---|---|---|---|",
    ...shown.map(
      ({ at, demand, queued, oldestS, workers, slots: all }) =>
        `| ${(at / 1_000).toFixed(0)} | ${demand} | ${queued} | ${oldestS.toFixed(1)} | ${workers} | ${all} |`,
    ),
  ].join("\n");
}
