import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../dev/postgres.ts";
import { reachableFolder } from "../dev/reachable.ts";
import { readEnv } from "../shared/platform/config/env.ts";
import { listedCalls } from "./listed-calls.ts";
import { quantile } from "./quantile.ts";
import { rollUp } from "./roll-up.ts";
import { seedRuns } from "./seed-runs.ts";
import { withStack } from "./with-stack.ts";

const rounds = 40;
const warmUp = 3;
/** How many clients ask at the same time. */
const clients = 2;
const goalMs = 200;

/**
 * Measures every list and analytics call through HTTP, over `runs` runs. Uses the database of `DATABASE_URL`, adds the runs that
 * are missing and keeps it; without `DATABASE_URL`, uses a temporary database.
 */
export async function benchLists(runs: number, signal: AbortSignal): Promise<void> {
  const given = readEnv()["DATABASE_URL"];
  if (given) return timeCalls(given, runs, signal);
  const dataDir = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-bench"), "lists-"));
  const postgres = await startPostgres({ dataDir, fsync: false });
  try {
    return await timeCalls(postgres.url, runs, signal);
  } finally {
    await postgres.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function timeCalls(databaseUrl: string, runs: number, signal: AbortSignal): Promise<void> {
  const world = await seedRuns(databaseUrl, runs, (done) => console.log(`${done} of ${runs} runs are there`));
  const settings = { DATABASE_URL: databaseUrl, WORKERS: "1", RETENTION_DAYS: "36500" };
  return withStack(signal, settings, async ({ url }) => {
    await rollUp(url, signal);
    console.log(
      `| ${runs} runs, ${clients} at once | median ms | p95 ms | max ms | p95 < ${goalMs} |\n|---|---|---|---|---|`,
    );
    for (const [label, pathOf] of listedCalls(world, runs)) {
      if (signal.aborted) break;
      const times = await timeCall(url, pathOf);
      const [median, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
      const figures = [median, p95, Math.max(...times)].map((ms) => ms.toFixed(1));
      console.log(`| ${label} | ${figures.join(" | ")} | ${p95 < goalMs ? "yes" : "**no**"} |`);
    }
  });
}

export async function timeCall(url: string, pathOf: (round: number) => string): Promise<number[]> {
  const times: number[] = [];
  let round = 0;
  const client = async (): Promise<void> => {
    while (round < rounds + warmUp) {
      const mine = round++;
      const at = performance.now();
      const answer = await fetch(url + pathOf(mine));
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`${pathOf(mine)} answered ${answer.status}`);
      if (mine >= warmUp) times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return times;
}
