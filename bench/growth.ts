import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "../dev/postgres.ts";
import { reachableFolder } from "../dev/reachable.ts";
import { quantile } from "./quantile.ts";
import { rollUp } from "./roll-up.ts";
import { seedRuns } from "./seed-runs.ts";
import { measureThroughput } from "./throughput.ts";
import { warmUp } from "./warm-up.ts";
import { withStack } from "./with-stack.ts";

const past = 1_000_000;
const rounds = 3;

/** Measures throughput over a database without runs and over one with a million, in alternation. Returns a table. */
export async function benchGrowth(signal: AbortSignal): Promise<string> {
  const full = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-bench"), "growth-"));
  const postgres = await startPostgres({ dataDir: full });
  try {
    await seedRuns(postgres.url, past, (done) => console.log(`${done} of ${past} runs are there`));
    const many = { DATABASE_URL: postgres.url, RETENTION_DAYS: "36500" };
    await withStack(signal, { WORKERS: "1", ...many }, ({ url }) => rollUp(url, signal));
    const measured: Record<"none" | "many", number[]> = { none: [], many: [] };
    for (let round = 0; round < rounds && !signal.aborted; round += 1) {
      measured.none.push(await runsPerStart({}, signal));
      measured.many.push(await runsPerStart(many, signal));
    }
    const [without, over] = [quantile(measured.none, 0.5), quantile(measured.many, 0.5)];
    const rows = [`| none | ${without.toFixed(2)} |`, `| ${past} | ${over.toFixed(2)} |`];
    return [`| past runs | T |`, "|---|---|", ...rows, `| ratio | ${(over / without).toFixed(2)} |`].join("\n");
  } finally {
    await postgres.close();
    rmSync(full, { recursive: true, force: true });
  }
}

/** T: runs in the time of a bare start of Python. */
function runsPerStart(settings: Record<string, string>, signal: AbortSignal): Promise<number> {
  return withStack(signal, { WORKERS: "1", ...settings }, async ({ client }) => {
    await warmUp(client, signal);
    const { perSecond, bareStartMs } = await measureThroughput(client, { clients: 64 }, signal);
    return (perSecond * bareStartMs) / 1_000;
  });
}
