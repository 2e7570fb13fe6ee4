import { Queue } from "bullmq";
import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const stack = await useTestStack();
const { url, worker } = await stack.startMembers({ worker: { WORKER_SLOTS: "2" } });
const agent_id = await makeAgent(url, "def main(input): return {'ok': True}");

async function succeeds(): Promise<void> {
  const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload: {} }));
  expect(events.at(-1)?.event).toBe("run.success");
}
const request = (agent: string) =>
  call(
    url,
    "POST",
    "/v1/execute",
    { agent_id: agent, version: "current", input_payload: {} },
    { prefer: "respond-async" },
  );
const submit = async (agent: string): Promise<string> => {
  const { status, body } = await request(agent);
  expect(status).toBe(202);
  return String(body["id"]);
};

const oddTexts = [
  "",
  "{",
  "null",
  "[]",
  "5",
  '"x"',
  "\0",
  '{"kind":"look"}',
  '{"kind":"take","run_id":"\\u0000"}',
  '{"kind":"take","run_id":{"a":1}}',
  '{"kind":"progress","run_id":"x","value":1e999,"message":5}',
  `[${"[".repeat(100_000)}`,
  `{"kind":"look","run_id":"${"x".repeat(1_000_000)}"}`,
  "mail",
  "mail ",
  "look \0",
  "mail __proto__",
  "\ud800",
  "1-1\trun.success\t{",
  "1-1\t\t",
  "99999999999999999999-1\ta\tb",
  "-1--1\tx\ty",
  "1-1\toutput.delta\tnot json",
];

test("queue entries, messages and stream entries of a foreign shape stop neither a worker nor an API, and the runs behind them are taken", async () => {
  const queue = new Queue("runs", {
    connection: { url: stack.redisUrl },
    prefix: `${stack.prefix}bull`,
    skipVersionCheck: true,
  });
  for (const data of [
    null,
    5,
    "text",
    [],
    {},
    { run_ids: 5, queued_at: 0 },
    { run_ids: [null], queued_at: 0 },
    { run_ids: ["\0"], queued_at: 0 },
    { run_ids: ["no such run"], queued_at: 0 },
    { run_ids: ["no such run", "no such run"], queued_at: 1e308 },
    { run_ids: Array.from({ length: 16 }, (_, index) => `none ${index}`), queued_at: -1e308 },
    { run_ids: ["x".repeat(2_000_000)], queued_at: 0 },
    { run_ids: ["'; DROP TABLE runs"], queued_at: 0 },
    { run_ids: ["no such run"] },
  ])
    await queue.add("run", data);
  for (const [field, value] of [
    ["data", "{"],
    ["data", "[".repeat(100_000)],
    ["opts", "{"],
    ["opts", "5"],
    ["timestamp", "never"],
    ["stacktrace", "{"],
    ["name", ""],
    ["parent", "{"],
    ["rjk", "x"],
    ["stc", "x"],
    ["ats", "x"],
  ] as const) {
    const job = await queue.add("run", { run_ids: ["no such run"], queued_at: 0 }, { delay: 50 });
    await stack.redis.hset(`${stack.prefix}bull:runs:${job.id}`, field, value);
  }
  await stack.redis.lpush(`${stack.prefix}bull:runs:wait`, "no-such-job", "", "\0");
  await queue.close();

  const { rows } = await stack.sql.query<{ id: string }>("SELECT id FROM workers");
  const channels = [`worker:${rows[0]?.id}`, "daemons", "news"].map((channel) => stack.prefix + channel);
  const run_id = await submit(agent_id);
  const stream = `${stack.prefix}run:${run_id}`;
  for (const text of oddTexts) for (const channel of [...channels, stream]) await stack.redis.publish(channel, text);
  for (const text of oddTexts) await stack.redis.xadd(stream, "*", "e", text);
  await stack.redis.xadd(stream, "*", "other", "field");

  for (let turn = 0; turn < 4; turn += 1) await succeeds();
  expect([worker.child.exitCode, worker.logged()]).toEqual([null, expect.not.stringContaining("uncaught error")]);
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
}, 60_000);

const unreadable = "run_unreadable";
test("a run whose row isn't what it should be ends at once, as an error of its own where it can't be read, and others are taken", async () => {
  await stack.sql.query("INSERT INTO queue_pauses (name, paused_by) VALUES ('runs', 'test')");
  const poisons: [column: string, value: string, code: string | null][] = [
    ["input_payload", "5", unreadable],
    ["input_payload", "null", unreadable],
    ["history", "{}", unreadable],
    ["history", "null", unreadable],
    ["metadata", "[]", unreadable],
    ["metadata", '"text"', unreadable],
    ["state_snapshot", '{"a":1}', unreadable],
    ["usage", '"text"', null],
    ["usage", "[1]", null],
    ["error", '"text"', null],
  ];
  const poisoned = await Promise.all(
    poisons.map(async ([column, value, code]) => {
      const id = await submit(agent_id);
      await stack.sql.query(`UPDATE runs SET ${column} = $2::json WHERE id = $1`, [id, value]);
      return { id, what: `${column} ${value}`, code };
    }),
  );
  const odd: string[] = [];
  for (const config of ["null", "5", "[]", '"text"', '{"limits":5,"env":{"a":1},"files":[1]}']) {
    const other = await makeAgent(url, "def main(input): return {'ok': True}");
    await stack.sql.query("UPDATE agent_versions SET config = $2::json WHERE agent_id = $1", [other, config]);
    const { status, body } = await request(other);
    expect([202, 422], `${config}: ${JSON.stringify(body)}`).toContain(status);
    if (status === 202) odd.push(String(body["id"]));
  }
  await stack.sql.query("DELETE FROM queue_pauses");
  const ids = [...poisoned.map(({ id }) => id), ...odd];
  await waitFor(
    async () =>
      (await stack.sql.query("SELECT 1 FROM runs WHERE id = ANY($1) AND status IN ('success', 'error')", [ids]))
        .rowCount === ids.length,
    30_000,
  );
  const { rows } = await stack.sql.query<{ id: string; code: string | null; attempt: number }>(
    "SELECT id, error->>'code' AS code, attempt FROM runs WHERE id = ANY($1)",
    [ids],
  );
  const ended = new Map(rows.map((row) => [row.id, row]));
  expect(poisoned.map(({ id, what }) => [what, ended.get(id)?.code, ended.get(id)?.attempt])).toEqual(
    poisoned.map(({ what, code }) => [what, code, 1]),
  );
  await succeeds();
  expect([worker.child.exitCode, worker.logged()]).toEqual([null, expect.not.stringContaining("uncaught error")]);
}, 60_000);
