import { subscribe } from "node:diagnostics_channel";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, makeAgent } from "../../../harness/client.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

const ended = 20_000;
const open = { scheduled: 30, queued: 40, running: 50, interrupted: 60, suspended: 70 };

const stack = await useTestStack();

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
};
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** The statement as it is sent. */
async function textOf(name: string): Promise<string> {
  const texts: string[] = [];
  subscribe("runfleet:statement", (statement) => {
    const defined = statement as { name: string; text: string };
    if (defined.name.startsWith(name)) texts.push(defined.text);
  });
  await import(`${join(import.meta.dirname, "../../../..")}/shared/store/billing/read-remaining-spend.ts?planned`);
  return texts[0] ?? "";
}

test("what an owner may still spend is read without the runs that have ended, however many there are", async () => {
  const { url } = await stack.openApi();
  const agent_id = await makeAgent(url, "def main(input):\n    return 1\n");
  const limit = { user_id: "tester", period: "day", amount_micro_usd: 1_000_000 };
  expect((await call(url, "PUT", "/v1/billing/spend-limit", limit)).status).toBeLessThan(300);
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, status, attempt, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
       input_payload, history, files, request_hash, expires_at, completed_at, lease_until)
     SELECT status || '-' || i, 'tester', $1, '1', status::run_status, 1, 3, 'python', 'standard', 'serverless', 1000,
       '{}', '[]', '[]', '', now() + interval '1 h', CASE WHEN status = 'success' THEN now() END,
       CASE WHEN status = 'running' THEN now() + interval '1 h' END
     FROM jsonb_each_text($2) AS s (status, count), generate_series(1, count::int) AS i`,
    [agent_id, JSON.stringify({ ...open, success: ended })],
  );
  // Each run has had two calls, of 10 millionths.
  await stack.sql.query(
    `INSERT INTO run_calls (id, run_id, attempt, call, connection, method, host, path, counted, cost_micro_usd, duration_ms)
     SELECT 'call-' || id || n, id, 1, n, 'openai', 'POST', 'h', '/', 'metered', 10, 1 FROM runs, generate_series(1, 2) AS n`,
  );
  await stack.sql.query("ANALYZE");
  const text = await textOf("read-spend-room");
  const { rows } = await stack.sql.query(text, ["tester", null]);
  expect(Number(rows[0]?.room)).toBe(1_000_000 - 250 * 2 * 10);
  const explained = await stack.sql.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, ["tester", null]);
  const nodes = nodesOf((explained.rows[0] as { "QUERY PLAN": [{ Plan: Plan }] })["QUERY PLAN"][0].Plan);
  const reads = nodes.filter((node) => ["runs", "run_calls"].includes(node["Relation Name"] ?? ""));
  expect(reads.length).toBeGreaterThanOrEqual(6);
  expect(reads.filter((node) => node["Node Type"] === "Seq Scan")).toEqual([]);
  const read = reads.map(
    (node) => (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
  );
  expect(Math.max(...read)).toBeLessThanOrEqual(500);
  // A day's limit counts what came today, however long a run lasts.
  await stack.sql.query("UPDATE run_calls SET created_at = now() - interval '2 days' WHERE call = 2");
  const today = await stack.sql.query(text, ["tester", null]);
  expect(Number(today.rows[0]?.room)).toBe(1_000_000 - 250 * 10);
});
