import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { runLimits } from "../shared/domain/run/run-limits.ts";
import { medianBareStart } from "./bare-start.ts";
import { type BenchStack, withStack } from "./with-stack.ts";

const children = 300;
const warmClients = 16;
const pollMs = 25;

const leaf = {
  source: `
from runfleet import context

def main(input):
    if input.get("for_s"):
        context.sleep(input["for_s"])
    if input.get("waits"):
        context.wait_for("never")
    context.usage(input_tokens=10, output_tokens=1)
    return {}
`,
};
const parents = {
  python: `
from runfleet import context

def main(input):
    context.map("bench-child", [input["child"]] * ${children})
    context.usage(input_tokens=5)
    return {"attempt": context.attempt}
`,
  node: `
export async function main({ child }, context) {
  await context.map("bench-child", Array.from({ length: ${children} }, () => child));
  context.usage({ input_tokens: 5 });
  return { attempt: context.attempt };
}
`,
} as const;

/** Measures a run that starts 300 others and waits for them: how often it is woken, the usage of all, and how soon a cancel ends them. Returns a table. */
export function benchChildren(signal: AbortSignal): Promise<string> {
  return withStack(signal, { WORKERS: "1" }, async (stack) => {
    const sql = new pg.Client({ connectionString: stack.databaseUrl });
    await sql.connect();
    try {
      const bareMs = await medianBareStart();
      await stack.client.publish("bench-child", leaf);
      for (const [adapter_type, source] of Object.entries(parents))
        await stack.client.publish(`bench-parent-${adapter_type}`, { adapter_type, source });
      const warmMs = await timeWarmRuns(stack);
      const rows = [];
      for (const adapter_type of Object.keys(parents)) {
        const agent_id = `bench-parent-${adapter_type}`;
        const one = await measureMap(stack, sql, { agent_id, signal });
        rows.push([`${adapter_type}: ${children} runs that sleep for 2 s, ms`, one.ms.toFixed(0)]);
        rows.push([
          `${adapter_type}: suspensions, wakes, input tokens of the tree`,
          `${one.suspensions}, ${one.wakes}, ${one.tokens}`,
        ]);
        const cancel = await measureCancel(stack, sql, { agent_id, signal });
        rows.push([`${adapter_type}: a cancel to the commit of all runs' cancels, ms`, cancel.committedMs.toFixed(0)]);
        rows.push([`${adapter_type}: a cancel to the end of all, ms`, cancel.endedMs.toFixed(0)]);
      }
      const bound = runLimits.stop_grace_ms + warmMs;
      const head = [`a bare start of Python takes ${bareMs.toFixed(1)} ms`, "", "| what | figure |", "|---|---|"];
      rows.push([`${children} warm runs, ${warmClients} at once, ms`, warmMs.toFixed(0)]);
      rows.push(["`stop_grace_ms` and the time of these warm runs, ms", bound.toFixed(0)]);
      return [...head, ...rows.map((cells) => `| ${cells.join(" | ")} |`)].join("\n");
    } finally {
      await sql.end();
    }
  });
}

async function timeWarmRuns({ client }: BenchStack): Promise<number> {
  const execute = async (runs: number): Promise<number> => {
    const at = performance.now();
    let left = runs;
    const loop = async (): Promise<void> => {
      while (left-- > 0) await client.run("bench-child", { input_payload: {} });
    };
    await Promise.all(Array.from({ length: warmClients }, loop));
    return performance.now() - at;
  };
  await execute(children);
  return execute(children);
}

type Measured = { agent_id: string; signal: AbortSignal };

async function measureMap({ client, url }: BenchStack, sql: pg.Client, { agent_id, signal }: Measured) {
  const { runId, whole } = await client.run(agent_id, { input_payload: { child: { for_s: 2 } } });
  const { rows } = await sql.query<{ suspensions: number; wakes: number }>(
    `SELECT count(*) FILTER (WHERE "to" = 'suspended')::int AS suspensions,
       count(*) FILTER (WHERE "from" = 'suspended' AND "to" = 'queued')::int AS wakes FROM run_transitions WHERE run_id = $1`,
    [runId],
  );
  const answer = await fetch(`${url}/v1/runs/${runId}/tree`, { signal });
  const { usage, runs } = (await answer.json()) as { usage: { input_tokens: number }; runs: number };
  if (runs !== children + 1) throw new Error(`The tree has ${runs} runs.`);
  return { ms: whole, tokens: usage.input_tokens, suspensions: rows[0]?.suspensions ?? 0, wakes: rows[0]?.wakes ?? 0 };
}

/** Cancels a run all of whose children wait. */
async function measureCancel({ url }: BenchStack, sql: pg.Client, { agent_id, signal }: Measured) {
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json", prefer: "respond-async" };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body), signal });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const { id } = await post("/v1/execute", { agent_id, version: "current", input_payload: { child: { waits: true } } });
  const count = async (condition: string): Promise<number> => {
    const text = `SELECT count(*)::int AS n FROM runs WHERE (id = $1 OR parent_run_id = $1) AND ${condition}`;
    return (await sql.query<{ n: number }>(text, [id])).rows[0]?.n ?? 0;
  };
  const until = async (condition: string, wanted: number): Promise<void> => {
    while ((await count(condition)) < wanted) await sleep(pollMs, undefined, { signal });
  };
  await until("status = 'suspended'", children + 1);
  const at = performance.now();
  await post(`/v1/runs/${id}/cancel`, {});
  await until("cancel_requested_at IS NOT NULL", children + 1);
  const committedMs = performance.now() - at;
  await until("status = 'cancelled'", children + 1);
  return { committedMs, endedMs: performance.now() - at };
}
