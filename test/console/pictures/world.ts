import pg from "pg";
import * as agents from "./agents.ts";

type Json = Record<string, unknown>;
type Service = { url: string; databaseUrl: string };

/** What the pictures are of: the ids of what was started for them. */
export type World = { asks: string; thread: string };

/** Runs of the two days before, of the same agents: what they were asked, how long they took and their share in percent. */
const past = [
  [
    "researcher",
    "question",
    [
      "How do runs resume after a worker died?",
      "Which regions have new rules for invoices?",
      "What do 40 reviews say about size?",
    ],
    5200,
    30,
  ],
  [
    "support-chat",
    "message",
    ["Where is my order A-1{n}?", "Can I change the address of A-1{n}?", "I was billed twice"],
    1900,
    34,
  ],
  ["invoice-reader", "file", ["invoices/2{n}.pdf"], 900, 22],
  ["refund-approval", "order", ["A-1{n}"], 640, 9],
  ["nightly-digest", "day", ["yesterday"], 15400, 5],
] as const;

const pastRuns = 2_600;

/** Starts what the pictures show. Past runs are written as rows: what has happened is the only thing that can't be had anew. */
export async function makeWorld({ url, databaseUrl }: Service): Promise<World> {
  const headers = { "content-type": "application/json", prefer: "respond-async" };
  const post = async (path: string, body: Json): Promise<Json> => {
    const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(body), headers });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Json;
  };
  const publish = (id: string, source: string, config: Json = {}, more: Json = {}): Promise<Json> =>
    post("/v1/agents", { user_id: "ada", id, name: id, make_current: true, config: { source, ...config }, ...more });
  await publish("invoice-reader", agents.invoiceReader, {}, { version: "1.0.0" });
  await publish("invoice-reader", agents.invoiceReaderNext, {}, { version: "1.1.0" });
  await publish("researcher", agents.researcher, {
    retry: { max_attempts: 2, delay_ms: 300 },
    input_schema: agents.asked,
  });
  await publish("support-chat", agents.supportChat);
  await publish("refund-approval", agents.refundApproval);
  await publish("nightly-digest", agents.nightlyDigest);
  await writePast(databaseUrl);
  const start = async (agent_id: string, input_payload: Json, more: Json = {}): Promise<string> => {
    const { id } = await post("/v1/execute", { agent_id, version: "current", input_payload, ...more });
    return String(id);
  };
  const end = async (id: string): Promise<string> => {
    for (let tries = 0; tries < 300; tries++) {
      const { status } = (await (await fetch(`${url}/v1/runs/${id}`)).json()) as { status: string };
      if (!["queued", "running", "scheduled"].includes(status)) return id;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`The run ${id} doesn't end.`);
  };
  const thread = "order-A-1077";
  const first = await end(
    await start("support-chat", { message: "My order A-1077 came broken." }, { thread_id: thread }),
  );
  await post(`/v1/runs/${first}/resume`, { response: "Yes, here it is." });
  await end(first);
  for (const message of ["Thanks! When will the money be there?", "Please send a new one to 12 Harbour Street."])
    await end(await start("support-chat", { message }, { thread_id: thread }));
  const cancelled = await start("nightly-digest", { day: "2026-11-21" });
  await post(`/v1/runs/${cancelled}/cancel`, {});
  for (const file of ["invoices/2077.pdf", "scan-0013.png", "invoices/2078.pdf"])
    await end(await start("invoice-reader", { file }));
  await end(await start("nightly-digest", { day: "2026-11-20" }, { timeout_ms: 1_000 }));
  await start("nightly-digest", { day: "tomorrow" }, { delay_ms: 3_600_000 });
  const asks = await end(await start("refund-approval", { order: "A-1077", amount: 120 }));
  await end(await start("refund-approval", { order: "A-1078", amount: 12 }));
  await start("nightly-digest", { day: "2026-11-22" });
  await post("/v1/jobs", {
    ...{ agent_id: "nightly-digest", version: "current", name: "Each night", schedule: "0 2 * * *" },
    input_payload: { day: "yesterday" },
  });
  return { asks, thread };
}

async function writePast(databaseUrl: string): Promise<void> {
  const sql = new pg.Client({ connectionString: databaseUrl });
  await sql.connect();
  try {
    for (const [agent, name, values, tookMs, share] of past)
      await sql.query(pastOf, [agent, name, values, tookMs, Math.round((pastRuns * share) / 100)]);
    await sql.query("ANALYZE runs");
  } finally {
    await sql.end();
  }
}

// The numbers are drawn from the run's own, so that the same world is made each time. More is done by day, and for an hour much fails.
const pastOf = `
  INSERT INTO runs (id, user_id, agent_id, version, status, attempt, max_attempts, adapter_type, runtime_mode, lifecycle,
    timeout_ms, input_payload, history, files, request_hash, expires_at, created_at, started_at, completed_at, duration_ms,
    usage, result_content, error, worker_id)
  SELECT 'run_' || md5($1::text || n), 'ada', $1::text, (SELECT current_version FROM agents WHERE id = $1::text), status, 1, 3,
    'python', 'standard', 'serverless', 600000, json_build_object($2::text,
      replace(($3::text[])[1 + n % cardinality($3::text[])], '{n}', lpad((n % 997)::text, 3, '0'))), '[]', '[]', '', at + interval '1 day', at,
    at + interval '1 ms' * (4 + n % 19), at + interval '1 ms' * took, took,
    json_build_object('input_tokens', 400 + took / 4, 'output_tokens', 40 + took / 20, 'cost_usd', took / 1e6),
    CASE WHEN status = 'success' THEN '{"ok":true}'::json END,
    CASE WHEN status <> 'success' THEN json_build_object('code', 'agent_error', 'type', 'HTTPError',
      'message', 'the index answered 503', 'traceback', null) END, 'worker-1'
  FROM (SELECT n, at, ($4::int * (0.5 + noise * noise * 2.4))::int AS took,
      (CASE WHEN noise > CASE WHEN hour BETWEEN 19 AND 20 THEN 0.3 ELSE 0.965 END THEN 'error' ELSE 'success' END)::run_status AS status
    FROM (SELECT n, noise, hour, now() - interval '2 min' - interval '1 hour' * hour AS at
      FROM (SELECT n, noise, 47.5 * (n::float8 / $5::int) + 1.6 * sin(n::float8 / $5::int * 12.6) AS hour
        FROM (SELECT n, ('x' || left(md5($1::text || n), 6))::bit(24)::int / 16777216.0 AS noise
          FROM generate_series(1, $5::int) n) AS drawn) AS placed) AS timed
    WHERE hour > 0) AS made`;
