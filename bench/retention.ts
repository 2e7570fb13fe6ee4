import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startPostgres } from "../dev/postgres.ts";
import { reachableFolder } from "../dev/reachable.ts";
import { deployMigrations } from "../prisma/deploy.ts";
import { readEnv } from "../shared/platform/config/env.ts";
import { openDb } from "../shared/store/client.ts";
import { purgeRows } from "../shared/store/retention/purge-rows.ts";
import { agingRuns } from "../shared/store/retention/retention-policy.ts";
import { purgeTranscripts } from "../shared/store/retention/purge-transcripts.ts";
import { readTranscript } from "../shared/store/runs/transcript/read-transcript.ts";
import { listedCalls } from "./listed-calls.ts";
import { timeCall } from "./lists.ts";
import { quantile } from "./quantile.ts";
import { withStack } from "./with-stack.ts";

/** Runs of so many days, the same number each day. What is older than half of it waits to be purged. */
const days = 60;
/** As the job does it: shared/services/maintenance/purge-old-rows.ts. */
const limit = 500;
const users = 50;
const agents = 200;

/**
 * Fills a database with runs that have ended, without inputs and results, each with two pieces of a transcript, three moves and a
 * record of its usage. Tells how large the tables are, how long lists take and how long it takes to forget a day: by deleting rows,
 * as the service does, and by dropping a part of a table. `DATABASE_URL` names an empty database, or one that this has filled.
 */
export async function benchRetention(runs: number, signal: AbortSignal): Promise<void> {
  const given = readEnv()["DATABASE_URL"];
  if (given) return measure(given, runs, signal);
  const dataDir = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-bench"), "retention-"));
  const postgres = await startPostgres({ dataDir, fsync: false });
  try {
    await measure(postgres.url, runs, signal);
  } finally {
    await postgres.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure(databaseUrl: string, runs: number, signal: AbortSignal): Promise<void> {
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  try {
    await timed("migrations", () => deployMigrations(databaseUrl));
    await seed(sql, runs, signal);
    await tellSizes(sql);
    if (!signal.aborted) await timeLists(databaseUrl, runs, signal);
    if (!signal.aborted) await timePurges(databaseUrl, sql, runs, signal);
    if (!signal.aborted) await timeParts(sql, runs);
    await tellSizes(sql);
  } finally {
    await sql.end();
  }
}

async function timed<T>(what: string, act: () => Promise<T>): Promise<T> {
  const at = performance.now();
  const result = await act();
  console.log(`| ${what} | ${((performance.now() - at) / 1_000).toFixed(2)} s |`);
  return result;
}

const tables = ["runs", "transcript_chunks", "run_transitions", "usage_records"];

/** Without indexes while it fills: each is built once, which takes a fraction of the time. */
async function seed(sql: pg.Pool, runs: number, signal: AbortSignal): Promise<void> {
  const { rows: counted } = await sql.query<{ n: string }>("SELECT count(*) AS n FROM runs");
  if (Number(counted[0]?.n) > 0) return;
  const { rows: indexes } = await sql.query<{ name: string; text: string }>(
    `SELECT indexname AS name, indexdef AS text FROM pg_indexes
     WHERE tablename = ANY($1) AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
    [tables],
  );
  for (const { name } of indexes) await sql.query(`DROP INDEX "${name}"`);
  await sql.query(owners, [users, agents]);
  const client = await sql.connect();
  try {
    // No trigger and no foreign key is asked for each row.
    await client.query("SET session_replication_role = replica");
    const batch = 500_000;
    for (let done = 0; done < runs && !signal.aborted; done += batch)
      await timed(`${done + batch} runs are there`, async () => {
        for (const text of [someRuns, chunks, moves, usage])
          await client.query(text(`generate_series(${done} + 1, ${Math.min(done + batch, runs)}) AS n`, runs));
      });
    await client.query("SET maintenance_work_mem = '1GB'");
    for (const { name, text } of indexes) await timed(`index ${name}`, () => client.query(text));
    await timed("vacuum analyze", async () => {
      for (const table of tables) await client.query(`VACUUM ANALYZE ${table}`);
    });
  } finally {
    client.release(true);
  }
}

const owners = `
  WITH u AS (INSERT INTO users (id, name) SELECT 'user-' || n, 'User ' || n FROM generate_series(0, $1::int - 1) n),
  a AS (INSERT INTO agents (id, user_id, name, current_version)
    SELECT 'agent-' || n, 'user-' || n % $1::int, 'Agent ' || n, '1.0.2' FROM generate_series(0, $2::int - 1) n)
  INSERT INTO agent_versions (agent_id, version, config)
  SELECT 'agent-' || n, '1.0.' || v, '{"source":"def main(i): return i"}'
  FROM generate_series(0, $2::int - 1) n, generate_series(0, 2) v`;

const runId = "'run-' || lpad(n::text, 8, '0')";
const agentOf = `floor(${agents} * power((n % 1000) / 1000.0, 3))::int`;
const timeOf = (runs: number): string => `(now() - interval '${days} days' * (1 - n / ${runs}.0) - interval '1 min')`;

const someRuns = (from: string, runs: number): string => `
  INSERT INTO runs (id, user_id, agent_id, version, status, attempt, max_attempts, last_seq, adapter_type, runtime_mode, lifecycle,
    timeout_ms, input_payload, history, files, request_hash, expires_at, created_at, started_at, completed_at, duration_ms, worker_id)
  SELECT ${runId}, 'user-' || ${agentOf} % ${users}, 'agent-' || ${agentOf}, '1.0.' || n % 3,
    (CASE WHEN n % 100 < 4 THEN 'error' WHEN n % 100 = 4 THEN 'timeout' ELSE 'success' END)::run_status,
    1, 3, 20, 'python', 'standard', 'serverless', 600000, '{}', '[]', '[]', '', ${timeOf(runs)}, ${timeOf(runs)},
    ${timeOf(runs)}, ${timeOf(runs)} + interval '30 s', 30000, 'worker-' || n % 20
  FROM ${from}`;

/** What it said in half a minute, and its end. */
const chunks = (from: string): string => `
  INSERT INTO transcript_chunks (run_id, attempt, first_seq, last_seq, events)
  SELECT ${runId}, 1, 1 + 10 * part, 10 + 10 * part,
    json_build_array(json_build_array(10 + 10 * part, 'output.delta', '{"text":"' || md5(n::text) || '"}'))
  FROM ${from}, generate_series(0, 1) AS part`;

const moves = (from: string, runs: number): string => `
  INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, at)
  SELECT ${runId}, 1, (ARRAY[NULL, 'queued', 'running'])[step]::run_status,
    (ARRAY['queued', 'running', 'success'])[step]::run_status, 'worker', ${timeOf(runs)}
  FROM ${from}, generate_series(1, 3) AS step`;

const usage = (from: string, runs: number): string => `
  INSERT INTO usage_records (id, user_id, agent_id, version, source, source_id, run_id, duration_ms, created_at, booked_at)
  SELECT 'use-' || n, 'user-' || ${agentOf} % ${users}, 'agent-' || ${agentOf}, '1.0.' || n % 3, 'run', ${runId}, ${runId}, 30000,
    ${timeOf(runs)}, ${timeOf(runs)}
  FROM ${from}`;

async function tellSizes(sql: pg.Pool): Promise<void> {
  console.log("\n| table | rows | heap, MB | indexes, MB |\n|---|---|---|---|");
  const { rows } = await sql.query<Record<string, string>>(
    `SELECT relname, reltuples::bigint AS rows, pg_table_size(oid) / 1000000 AS heap, pg_indexes_size(oid) / 1000000 AS indexes
     FROM pg_class WHERE relname = ANY($1) AND relkind = 'r' ORDER BY relname`,
    [tables],
  );
  for (const { relname, rows: count, heap, indexes } of rows)
    console.log(`| ${relname} | ${count} | ${heap} | ${indexes} |`);
}

/** Calls that ask for what is seeded here. */
const listed = /^(GET \/v1\/runs|… (limit|somewhere|order|user_id|agent_id|version|status=error|\/timeline|a day))/;

async function timeLists(databaseUrl: string, runs: number, signal: AbortSignal): Promise<void> {
  const world = { busy: { user: "user-0", agent: "agent-0" }, quiet: { user: "user-49", agent: "agent-199" } };
  const settings = { DATABASE_URL: databaseUrl, WORKERS: "1", RETENTION_DAYS: "36500" };
  await withStack(signal, settings, async ({ url }) => {
    console.log(`\n| ${runs} runs, 2 at once | median ms | p95 ms | max ms |\n|---|---|---|---|`);
    const calls = listedCalls(world, runs);
    const first = calls.findIndex(([label]) => label === "GET /v1/agents");
    for (const [label, pathOf] of calls
      .slice(0, first)
      .filter(([name]) => listed.test(name) && !name.includes("thread"))) {
      const times = await timeCall(url, pathOf);
      const figures = [quantile(times, 0.5), quantile(times, 0.95), Math.max(...times)].map((ms) => ms.toFixed(1));
      console.log(`| ${label} | ${figures.join(" | ")} |`);
    }
  });
}

async function timePurges(databaseUrl: string, sql: pg.Pool, runs: number, signal: AbortSignal): Promise<void> {
  const db = openDb(databaseUrl, 2, () => undefined);
  const aDay = Math.ceil(runs / days);
  try {
    console.log(
      "\n| a day's rows | rows | batches of 500: median ms | p95 ms | s in all | WAL, bytes a run |\n|---|---|---|---|---|---|",
    );
    await timeBatches(
      sql,
      { what: "transcripts forgotten", most: aDay, act: () => purgeTranscripts(db, days / 2, limit) },
      signal,
    );
    await timeBatches(
      sql,
      { what: "runs deleted with all they have", most: aDay, act: () => purgeRows(db, agingRuns, days / 2, limit) },
      signal,
    );
    await tellSizes(sql);
    for (const table of tables) await timed(`vacuum ${table}`, () => sql.query(`VACUUM ${table}`));
    await timed("as many runs again, into the room that became free", async () => {
      const client = await sql.connect();
      await client.query("SET session_replication_role = replica");
      for (const text of [someRuns, chunks, moves, usage])
        await client.query(text(`generate_series(${runs} + 1, ${runs + aDay}) AS n`, runs + aDay));
      client.release(true);
    });
  } finally {
    await db.close();
  }
}

type Batches = { what: string; most: number; act: () => Promise<number> };

async function timeBatches(sql: pg.Pool, { what, most, act }: Batches, signal: AbortSignal): Promise<void> {
  const times: number[] = [];
  let done = 0;
  const before = await walOf(sql);
  while (done < most && !signal.aborted) {
    const at = performance.now();
    const count = await act();
    times.push(performance.now() - at);
    done += count;
    if (count < limit) break;
  }
  const wal = ((await walOf(sql)) - before) / done;
  const all = times.reduce((sum, ms) => sum + ms, 0) / 1_000;
  const figures = [quantile(times, 0.5), quantile(times, 0.95)].map((ms) => ms.toFixed(1));
  console.log(`| ${what} | ${done} | ${figures.join(" | ")} | ${all.toFixed(1)} | ${wal.toFixed(0)} |`);
}

const walOf = async (sql: pg.Pool): Promise<number> =>
  Number((await sql.query<{ bytes: string }>("SELECT wal_bytes AS bytes FROM pg_stat_wal")).rows[0]?.bytes);

/** The same transcripts in a table of a part for each day: what forgetting a day and reading one run's transcript take there. */
async function timeParts(sql: pg.Pool, runs: number): Promise<void> {
  console.log("\n| transcripts by day | |\n|---|---|");
  await sql.query("DROP TABLE IF EXISTS transcript_chunks_by_day");
  await sql.query(`CREATE TABLE transcript_chunks_by_day (run_id text, attempt int, first_seq int, last_seq int, events json,
    day int, PRIMARY KEY (run_id, attempt, first_seq, day)) PARTITION BY RANGE (day)`);
  for (let day = 0; day <= days; day += 1)
    await sql.query(`CREATE TABLE transcript_chunks_of_day_${day} PARTITION OF transcript_chunks_by_day
      FOR VALUES FROM (${day}) TO (${day + 1})`);
  await timed("copy of all chunks into parts", () =>
    sql.query(`INSERT INTO transcript_chunks_by_day SELECT *, least(${days}, substr(run_id, 5)::bigint * ${days} / ${runs})
      FROM transcript_chunks`),
  );
  await timed("vacuum analyze", () => sql.query("VACUUM ANALYZE transcript_chunks_by_day"));
  const db = { sql } as Parameters<typeof readTranscript>[0];
  const idAt = (round: number): string => `run-${String(Math.ceil(runs / 2) + round * 97).padStart(8, "0")}`;
  await tellReads("one table: a run's transcript", (round) => readTranscript(db, idAt(round), { attempt: 0, seq: 0 }));
  await tellReads("parts, the day not known", (round) =>
    sql.query({
      name: "of-parts",
      text: `SELECT attempt, events FROM transcript_chunks_by_day
        WHERE run_id = $1 AND (attempt, last_seq) > (0, 0) ORDER BY attempt, first_seq LIMIT 100`,
      values: [idAt(round)],
    }),
  );
  await timed("drop of a day", () => sql.query(`DROP TABLE transcript_chunks_of_day_${days / 2 + 1}`));
}

async function tellReads(what: string, read: (round: number) => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < 500; round += 1) {
    const at = performance.now();
    await read(round);
    times.push(performance.now() - at);
  }
  console.log(
    `| ${what}, median and p95 | ${quantile(times, 0.5).toFixed(2)}, ${quantile(times, 0.95).toFixed(2)} ms |`,
  );
}
