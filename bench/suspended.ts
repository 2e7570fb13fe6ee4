import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startPostgres } from "../dev/postgres.ts";
import { reachableFolder } from "../dev/reachable.ts";
import { readEnv } from "../shared/platform/config/env.ts";
import { readCpuTimes } from "./cpu.ts";
import { quantile } from "./quantile.ts";
import { type BenchStack, withStack } from "./with-stack.ts";

/** Runs that are woken by a signal, each while all others wait. */
const signalled = 40;
/** Runs whose time comes at once. */
const due = 50_000;
const batch = 100_000;
const rounds = 40;
const quietMs = 5_000;
const agent_id = "bench-suspended";
const source = "def main(input, context):\n    context.wait_for('go')\n    return {}\n";

/**
 * Measures what `runs` suspended runs cost, and how fast they go on: a signal to one of them, lists of runs, and many whose time comes at
 * once. Uses the database of `DATABASE_URL`, adds the runs that are missing and keeps it; without `DATABASE_URL`, uses a temporary
 * database. Returns a table.
 */
export async function benchSuspended(runs: number, signal: AbortSignal): Promise<string> {
  const given = readEnv()["DATABASE_URL"];
  if (given) return measure(given, runs, signal);
  const dataDir = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-bench"), "suspended-"));
  const postgres = await startPostgres({ dataDir, fsync: false });
  try {
    return await measure(postgres.url, runs, signal);
  } finally {
    await postgres.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure(databaseUrl: string, runs: number, signal: AbortSignal): Promise<string> {
  const sql = new pg.Client({ connectionString: databaseUrl });
  const settings = { DATABASE_URL: databaseUrl };
  try {
    const rows = await withStack(signal, { ...settings, WORKERS: "1" }, async (stack) => {
      await sql.connect();
      return besideOthers(stack, { sql, runs, signal });
    });
    // Nobody executes what is queued.
    rows.push(await withStack(signal, { ...settings, WORKERS: "0" }, ({ url }) => moveDue(url, { sql, signal })));
    return ["| what | figure |", "|---|---|", ...rows.map((cells) => `| ${cells.join(" | ")} |`)].join("\n");
  } finally {
    await sql.end();
  }
}

type World = { sql: pg.Client; runs: number; signal: AbortSignal };

async function besideOthers({ url, client }: BenchStack, { sql, runs, signal }: World): Promise<string[][]> {
  await client.publish(agent_id, { source }, `1.0.${Date.now()}`);
  const ids: string[] = [];
  for (let n = 0; n < signalled; n += 1) ids.push(await suspendOne(url, signal));
  const before = await restingCpu(signal);
  await seed(sql, ids[0] ?? "", runs);
  const after = await restingCpu(signal);
  const wakes: number[] = [];
  for (const id of ids) wakes.push(await wakeBySignal(url, id, signal));
  const lists = [];
  for (const path of [
    "/v1/runs?limit=50",
    "/v1/runs?status=suspended&limit=50",
    `/v1/runs?agent_id=${agent_id}&limit=50`,
  ])
    lists.push([`\`GET ${path}\`, ms`, figuresOf(await timeList(url + path, signal))]);
  return [
    ["suspended runs", String((await sql.query<{ n: string }>(count)).rows[0]?.n)],
    ["CPU of the whole stack at rest before and after, ms a second", `${before.toFixed(1)}, ${after.toFixed(1)}`],
    ["a signal to its run's start, ms", figuresOf(wakes)],
    ...lists,
  ];
}

const count = "SELECT count(*) AS n FROM runs WHERE status = 'suspended'";

const figuresOf = (times: readonly number[]): string =>
  `median ${quantile([...times], 0.5).toFixed(1)}, p95 ${quantile([...times], 0.95).toFixed(1)}`;

/** Begins a run that waits for a signal, and returns its id once it is suspended. */
async function suspendOne(url: string, signal: AbortSignal): Promise<string> {
  const headers = { "content-type": "application/json", prefer: "respond-async" };
  const body = JSON.stringify({ agent_id, version: "current" });
  const answer = await fetch(`${url}/v1/execute`, { method: "POST", headers, body, signal });
  const { id } = (await answer.json()) as { id: string };
  await readUntil(url, { id, after: null, text: "event: run.suspended" }, signal);
  return id;
}

/** Reads a run's stream until it holds `text`. Returns what it said. */
async function readUntil(
  url: string,
  { id, after, text }: { id: string; after: string | null; text: string },
  signal: AbortSignal,
): Promise<string> {
  const stop = new AbortController();
  const headers: Record<string, string> = after === null ? {} : { "last-event-id": after };
  const answer = await fetch(`${url}/v1/runs/${id}/stream`, {
    headers,
    signal: AbortSignal.any([stop.signal, signal]),
  });
  let said = "";
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    said += chunk;
    if (said.includes(text)) break;
  }
  stop.abort();
  return said;
}

/** Returns the ms from a signal to the start of the run's code. */
async function wakeBySignal(url: string, id: string, signal: AbortSignal): Promise<number> {
  const said = await readUntil(url, { id, after: null, text: "event: run.suspended" }, signal);
  const [, after = null] = /id: (\S+)\nevent: run\.suspended/.exec(said) ?? [];
  const started = readUntil(url, { id, after, text: "event: run.started" }, signal);
  await sleep(50, undefined, { signal });
  const at = performance.now();
  const headers = { "content-type": "application/json" };
  await fetch(`${url}/v1/runs/${id}/signals/go`, { method: "POST", headers, body: "{}", signal });
  await started;
  return performance.now() - at;
}

async function restingCpu(signal: AbortSignal): Promise<number> {
  const times = readCpuTimes();
  await sleep(quietMs, undefined, { signal });
  const sum = [...readCpuTimes()].reduce((all, [part, ms]) => all + ms - (times.get(part) ?? 0), 0);
  return (sum / quietMs) * 1_000;
}

async function timeList(url: string, signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const at = performance.now();
    const answer = await fetch(url, { signal });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
    times.push(performance.now() - at);
  }
  return times;
}

/** Adds runs as the one with the id `of` is: each waits until a time of the next 30 days. */
async function seed(sql: pg.Client, of: string, runs: number): Promise<void> {
  const last = "SELECT 1 FROM runs WHERE id = 'run_seeded' || lpad($1::text, 8, '0')";
  if ((await sql.query(last, [runs])).rowCount === 1) return;
  for (const table of ["runs", "run_waits", "run_journals"]) {
    const { rows } = await sql.query<{ column_name: string }>(
      "SELECT column_name FROM information_schema.columns WHERE table_name = $1 AND is_generated = 'NEVER'",
      [table],
    );
    const names = rows.map(({ column_name }) => `"${column_name}"`);
    const values = names.map((name) => others[`${table}.${name}`] ?? `${table}.${name}`);
    const key = table === "runs" ? "id" : "run_id";
    for (let done = 0; done < runs; done += batch)
      await sql.query(
        `INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")}
         FROM ${table}, generate_series($2::int + 1, $3::int) n WHERE ${table}.${key} = $1`,
        [of, done, Math.min(done + batch, runs)],
      );
  }
  await sql.query("VACUUM ANALYZE");
}

const seededId = "'run_seeded' || lpad(n::text, 8, '0')";
const seededAt = "now() + interval '1 day' + interval '29 days' * (n % 9973) / 9973";
const others: Record<string, string> = {
  'runs."id"': seededId,
  'runs."root_run_id"': "NULL",
  'runs."scheduled_at"': seededAt,
  'run_journals."run_id"': seededId,
  'run_waits."run_id"': seededId,
  'run_waits."number"': "nextval(pg_get_serial_sequence('run_waits', 'number'))",
  'run_waits."kind"': "'timer'",
  'run_waits."names"': "'{}'",
  'run_waits."due_at"': seededAt,
};

/** The time of many comes. Returns how many were queued a second. They are deleted. */
async function moveDue(url: string, { sql, signal }: Pick<World, "sql" | "signal">): Promise<string[]> {
  await sql.query(
    `CREATE TEMP TABLE chosen AS SELECT id FROM runs WHERE id LIKE 'run_seeded%' AND status = 'suspended' ORDER BY id LIMIT ${due}`,
  );
  await sql.query("UPDATE run_waits SET due_at = now() - interval '1 s' FROM chosen WHERE run_id = chosen.id");
  await sql.query("UPDATE runs SET scheduled_at = now() - interval '1 s' FROM chosen WHERE runs.id = chosen.id");
  await sql.query("VACUUM ANALYZE runs, run_waits");
  const at = performance.now();
  const answer = await fetch(`${url}/v1/internal/jobs/reconcile-runs`, { method: "POST", signal });
  const { result } = (await answer.json()) as { result: { woken: number } };
  const seconds = (performance.now() - at) / 1_000;
  for (const table of ["run_transitions", "journal_entries", "run_journals"])
    await sql.query(`DELETE FROM ${table} USING chosen WHERE run_id = chosen.id`);
  await sql.query("DELETE FROM runs USING chosen WHERE runs.id = chosen.id");
  return [`due runs queued a second, of ${result.woken}`, (result.woken / seconds).toFixed(0)];
}
