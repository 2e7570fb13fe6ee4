import { afterAll, expect, onTestFinished, test } from "vitest";
import { inTransaction } from "../../shared/store/in-transaction.ts";
import { openDb } from "../../shared/store/client.ts";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const stack = await useTestStack();
const { url, worker, api } = await stack.startMembers({ api: { DATABASE_POOL: "3" } });
const database = new URL(stack.databaseUrl).pathname.slice(1);

const agent_id = await makeAgent(
  url,
  py`
    import time
    def main(input):
        for i in range(30):
            yield i
            time.sleep(0.1)
        return "whole"
  `,
);

/** What the members' next connections meet. Connections that exist keep their mode, as those to a demoted primary do. */
async function setReadOnly(on: boolean): Promise<void> {
  await stack.sql.query(`ALTER DATABASE "${database}" ${on ? "SET default_transaction_read_only = on" : "RESET ALL"}`);
}
const cutAll = (): Promise<unknown> =>
  stack.sql.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE 'runfleet%'",
    [database],
  );
/** Locks a table until it is freed, or until the test is over: an open transaction would delay every test's streams. */
async function lockTable(name: string): Promise<() => Promise<void>> {
  const client = await stack.sql.connect();
  await client.query(`BEGIN; LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
  let ended: Promise<void> | null = null;
  const free = (): Promise<void> => (ended ??= client.query("ROLLBACK").then(() => client.release()));
  onTestFinished(free);
  return free;
}
const ready = async (): Promise<string> => {
  const { status, body } = await call(url, "GET", "/health/ready");
  return status === 200 ? "ready" : String(body["code"]);
};

test("while Postgres takes no writes the API says so and isn't ready; runs under way end afterwards, at their first attempt", async () => {
  const underWay = await execute(url, { agent_id, version: "current" });
  const runId = underWay.headers.get("x-run-id") ?? "";
  expect(await ready()).toBe("ready");
  await setReadOnly(true);
  await cutAll();

  await waitFor(async () => (await ready()) === "postgres_read_only");
  expect((await call(url, "GET", "/health")).body).toMatchObject({ status: "degraded", postgres: "read_only" });
  const writes = await Promise.all([
    call(url, "POST", "/v1/execute", { agent_id, version: "current" }, { prefer: "respond-async" }),
    call(url, "POST", "/v1/agents", { user_id: "tester", name: "another", config: {} }),
    call(url, "PATCH", `/v1/agents/${agent_id}`, { name: "renamed" }),
    call(url, "POST", "/v1/threads", { user_id: "tester" }),
  ]);
  expect(writes.map(({ status, body }) => [status, body["code"]])).toEqual(
    writes.map(() => [503, "dependency_unavailable"]),
  );
  expect(writes.every(({ headers }) => headers.has("retry-after"))).toBe(true);
  expect((await call(url, "GET", `/v1/agents/${agent_id}`)).status).toBe(200);

  // The connections that exist stay read-only; a process leaves them by itself.
  await setReadOnly(false);
  await waitFor(async () => (await ready()) === "ready");
  await waitFor(async () => (await call(url, "PATCH", `/v1/agents/${agent_id}`, { name: "renamed" })).status === 200);
  const ended = await waitFor(async () => {
    const { body } = await call(url, "GET", `/v1/runs/${runId}`);
    return body["status"] === "success" ? body : null;
  });
  expect(ended).toMatchObject({ attempt: 1, result_content: { output: "whole" } });
  expect((await readEvents(underWay)).at(-1)?.event).toBe("run.success");
  expect([api.child.exitCode, worker.child.exitCode]).toEqual([null, null]);
});

test("a request that gets no connection or no transaction in time is answered 503, whichever door of the pool it takes", async () => {
  const free = await lockTable("webhooks");
  // Each of them holds one of the three connections until the lock is free.
  const holders = Array.from({ length: 3 }, () => call(url, "GET", "/v1/webhooks?user_id=tester"));
  // The worker, which looks for messages to send, waits as well.
  await waitFor(async () => {
    const { rows } = await stack.sql.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND application_name = 'runfleet-api' AND wait_event_type = 'Lock'",
      [database],
    );
    return rows.length === 3;
  });
  const answers = await Promise.all([
    call(url, "PATCH", `/v1/agents/${agent_id}`, { name: "renamed" }),
    call(url, "POST", "/v1/agents", { user_id: "tester", name: "another", config: {} }),
    call(url, "GET", `/v1/agents/${agent_id}`),
    call(url, "POST", "/v1/execute", { agent_id, version: "current" }, { prefer: "respond-async" }),
  ]);
  await free();
  expect(answers.map(({ status, body }) => [status, body["code"]])).toEqual(
    answers.map(() => [503, "dependency_unavailable"]),
  );
  expect((await Promise.all(holders)).map(({ status }) => status)).toEqual([200, 200, 200]);
  await waitFor(async () => (await call(url, "PATCH", `/v1/agents/${agent_id}`, { name: "renamed" })).status === 200);
});

const one = openDb(stack.databaseUrl, 1, () => undefined);
afterAll(() => one.close());

test("a transaction that met a read-only server gives its connection up", async () => {
  const pidOf = async (): Promise<unknown> => (await one.sql.query("SELECT pg_backend_pid() AS pid")).rows[0];
  const before = await pidOf();
  await one.sql.query("SET default_transaction_read_only = on");
  const write = inTransaction(one, (client) => client.query("DELETE FROM users"));
  await expect(write).rejects.toThrow("read-only transaction");
  expect(await pidOf()).not.toEqual(before);
});
