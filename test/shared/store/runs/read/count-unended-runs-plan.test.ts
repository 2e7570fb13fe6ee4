import { subscribe } from "node:diagnostics_channel";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, makeAgent } from "../../../../harness/client.ts";
import { useTestStack } from "../../../../harness/test-stack.ts";

const ended = 20_000;
const open = { scheduled: 30, queued: 40, running: 50, interrupted: 60, suspended: 70 };

const stack = await useTestStack();

/** The text of a statement, as it is sent. */
async function textOf(name: string): Promise<string> {
  const texts: string[] = [];
  subscribe("runfleet:statement", (statement) => {
    const defined = statement as { name: string; text: string };
    if (defined.name.startsWith(name)) texts.push(defined.text);
  });
  const root = join(import.meta.dirname, "../../../../..");
  for (const file of ["read/count-unended-runs", "moves/lose-run", "read/active-runs", "moves/overdue-runs"])
    await import(`${join(root, "shared/store/runs", file)}.ts?planned`);
  return texts[0] ?? "";
}

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
};
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

test("a scrape reads the runs that have not ended, and none of those that have", async () => {
  const { url } = await stack.openApi();
  const agent_id = await makeAgent(url, "def main(input):\n    return 1\n");
  const { rows } = await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
       input_payload, history, files, request_hash, expires_at, completed_at, lease_until)
     SELECT status || '-' || i, 'tester', $1, '1', status::run_status, 3, 'python', 'standard', 'serverless', 1000,
       '{}', '[]', '[]', '', now() + interval '1 h', CASE WHEN status = 'success' THEN now() END,
       CASE WHEN status = 'running' THEN now() + interval '1 h' END
     FROM jsonb_each_text($2) AS s (status, count), generate_series(1, count::int) AS i RETURNING 1`,
    [agent_id, JSON.stringify({ ...open, success: ended })],
  );
  expect(rows).toHaveLength(ended + 250);
  await stack.sql.query("ANALYZE runs");
  const text = await textOf("count-runs");
  const explained = await stack.sql.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`);
  const nodes = nodesOf((explained.rows[0] as { "QUERY PLAN": [{ Plan: Plan }] })["QUERY PLAN"][0].Plan);
  expect(nodes.filter((node) => node["Node Type"] === "Seq Scan")).toEqual([]);
  const read = nodes.filter((node) => node["Index Name"] !== undefined);
  expect(read.length).toBeGreaterThanOrEqual(4);
  for (const node of read) expect(node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)).toBeLessThanOrEqual(250);

  const metrics = await (await fetch(`${url}/metrics`)).text();
  for (const [status, count] of Object.entries(open))
    expect(metrics).toContain(`runfleet_runs{status="${status}"} ${count}`);

  // A second scrape within seconds counts nothing, whoever asks.
  await stack.sql.query("DELETE FROM runs WHERE status = 'scheduled'");
  expect(await (await fetch(`${url}/metrics`)).text()).toContain(`runfleet_runs{status="scheduled"} 30`);
  expect((await call(url, "GET", "/health")).status).toBe(200);
});
