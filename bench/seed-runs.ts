import pg from "pg";
import { deployMigrations } from "../prisma/deploy.ts";

const users = 50;
const agents = 200;
const batch = 50_000;

/** The users and agents that the bench asks for. `busy` ones have the most runs. */
export type SeededWorld = { busy: { user: string; agent: string }; quiet: { user: string; agent: string } };

/**
 * Fills a database up to `runs` runs of the last 30 days: 50 users, 200 agents of 3 versions; a sixth of all runs is of one
 * agent, 5 % fail, a tenth belongs to threads, a tenth had a callback. A database with enough runs is left as it is.
 */
export async function seedRuns(
  databaseUrl: string,
  runs: number,
  onProgress: (done: number) => void,
): Promise<SeededWorld> {
  await deployMigrations(databaseUrl);
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  try {
    const { rows } = await sql.query<{ n: number }>("SELECT count(*)::int AS n FROM runs");
    const present = rows[0]?.n ?? 0;
    if (present === 0) await sql.query(owners, [users, agents]);
    for (let done = present; done < runs; done += batch) {
      const values = [done, Math.min(batch, runs - done), users, agents];
      for (const text of [seededRuns, threads, callbacks, transitions, audit]) await sql.query(text, values);
      onProgress(done);
    }
    if (present < runs) await sql.query("VACUUM ANALYZE");
  } finally {
    await sql.end();
  }
  return { busy: { user: "user-0", agent: "agent-0" }, quiet: { user: "user-49", agent: "agent-199" } };
}

const owners = `
  WITH u AS (INSERT INTO users (id, name) SELECT 'user-' || n, 'User ' || n FROM generate_series(0, $1::int - 1) n),
  a AS (INSERT INTO agents (id, user_id, name, current_version)
    SELECT 'agent-' || n, 'user-' || n % $1::int, 'Agent ' || n, '1.0.2' FROM generate_series(0, $2::int - 1) n)
  INSERT INTO agent_versions (agent_id, version, config)
  SELECT 'agent-' || n, '1.0.' || v, '{"source":"def main(i): return i"}'
  FROM generate_series(0, $2::int - 1) n, generate_series(0, 2) v`;

// $1: how many runs there are, $2: how many to add, $3: users, $4: agents. All four are used in this text, since each
// statement that it is a part of gets all four.
const part = "SELECT n FROM generate_series($1::int + 1, $1::int + $2::int) n WHERE $3::int > 0 AND $4::int > 0";

const seededRuns = `
  INSERT INTO runs (id, user_id, agent_id, version, thread_id, status, attempt, max_attempts, adapter_type, runtime_mode,
    lifecycle, timeout_ms, input_payload, history, files, request_hash, expires_at, created_at, started_at, completed_at,
    duration_ms, usage, result_content, error, completion_callback_url, worker_id)
  SELECT 'run-' || lpad(n::text, 8, '0'), 'user-' || agent % $3::int, 'agent-' || agent, '1.0.' || n % 3,
    CASE WHEN n % 10 = 3 THEN 'thread-' || agent || '-' || n % 100000 END, status, 1, 3, 'python', 'standard', 'serverless',
    600000, json_build_object('question', 'What is the capital of country number ' || n % 977 || '?', 'note', md5(n::text)),
    '[]', '[]', '', at + interval '1 day', at, at + queue, at + queue + took, extract(epoch FROM took) * 1000,
    json_build_object('input_tokens', n % 4000, 'output_tokens', n % 900, 'cost_usd', (n % 50) / 10000.0, 'cpu_ms', n % 700),
    CASE WHEN status = 'success' THEN json_build_object('answer', md5('a' || n), 'steps', json_build_array(1, 2, 3)) END,
    CASE WHEN status IN ('error', 'timeout', 'expired') THEN json_build_object('code', 'code_' || n % 7, 'type', null,
      'message', 'It failed at step ' || n % 13, 'traceback', repeat('  at line ' || n || E'\\n', 5)) END,
    CASE WHEN n % 10 = 7 THEN 'https://example.com/hook' END, 'worker-' || n % 20
  FROM (
    SELECT n, floor($4::int * power(random(), 3))::int AS agent, now() - interval '30 days' * (1 - n / 1e6) - interval '1 min' AS at,
      (CASE WHEN n % 100 < 4 THEN 'error' WHEN n % 100 = 4 THEN 'timeout' WHEN n % 200 = 5 THEN 'cancelled'
        WHEN n % 1000 = 6 THEN 'expired' ELSE 'success' END)::run_status AS status,
      interval '1 ms' * (5 + 200 * power(random(), 4)) AS queue, interval '1 ms' * round(exp(4 + 6 * random())) AS took
    FROM (${part}) AS numbers) AS made`;

const threads = `
  INSERT INTO threads (id, user_id, agent_id, created_at)
  SELECT thread_id, min(user_id), min(agent_id), min(created_at) FROM runs
  WHERE id IN (SELECT 'run-' || lpad(n::text, 8, '0') FROM (${part}) AS numbers) AND thread_id IS NOT NULL GROUP BY thread_id
  ON CONFLICT DO NOTHING`;

const callbacks = `
  INSERT INTO outbox (id, user_id, run_id, type, url, status, tries, created_at, delivered_at)
  SELECT 'msg-' || id, user_id, id, 'run.' || status, completion_callback_url,
    (CASE WHEN right(id, 2) = '07' THEN 'exhausted' ELSE 'delivered' END)::outbox_status, 1, completed_at, completed_at
  FROM runs WHERE id IN (SELECT 'run-' || lpad(n::text, 8, '0') FROM (${part}) AS numbers)
    AND completion_callback_url IS NOT NULL`;

const transitions = `
  INSERT INTO run_transitions (run_id, attempt, "from", "to", actor, at)
  SELECT id, 1, 'running', status, 'worker', completed_at FROM runs
  WHERE id IN (SELECT 'run-' || lpad(n::text, 8, '0') FROM (${part}) AS numbers)`;

const audit = `
  INSERT INTO audit_log (id, user_id, actor, action, target_type, target_id, created_at)
  SELECT 'audit-' || n, 'user-' || n % $3::int, 'key-' || n % 300, CASE n % 4 WHEN 0 THEN 'cancel_run' ELSE 'put_tag' END, 'run',
    'run-' || lpad(n::text, 8, '0'), now() - interval '30 days' * (1 - n / 1e6) FROM (${part}) AS numbers WHERE n % 4 < 2`;
