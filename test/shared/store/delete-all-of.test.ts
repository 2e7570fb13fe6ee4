import { afterAll, expect, test } from "vitest";
import { openDb } from "../../../shared/store/client.ts";
import { recordTry } from "../../../shared/store/outbox/record-try.ts";
import { call, makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.openApi();
const db = openDb(stack.databaseUrl, 2, () => undefined);
afterAll(() => db.close());

const tables = ["outbox", "hook_deliveries", "job_ticks", "daemon_logs", "notifications", "store_items"];

/** A statement that changes more rows than this is refused. */
const most = 500;
await stack.sql.query(`
  CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM changed) > ${most} THEN RAISE 'a statement over more than ${most} rows of %', TG_TABLE_NAME; END IF;
    RETURN NULL;
  END $$`);
for (const table of tables)
  for (const event of ["DELETE", "UPDATE"])
    await stack.sql.query(`
      CREATE TRIGGER refuse_many_${event} AFTER ${event} ON ${table}
        REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`);

const rows = 1_200;
const count = async (table: string): Promise<number> =>
  (await stack.sql.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0]?.n ?? 0;

async function makeWebhook(user_id: string): Promise<string> {
  const { body } = await call(url, "POST", "/v1/webhooks", {
    user_id,
    url: "http://127.0.0.1:9/",
    events: ["run.error"],
  });
  const id = String(body["id"]);
  await stack.sql.query(
    `INSERT INTO outbox (id, user_id, webhook_id, type, url)
     SELECT $1 || '-' || n, $2, $1, 'run.error', 'http://127.0.0.1:9/' FROM generate_series(1, ${rows}) AS n`,
    [id, user_id],
  );
  return id;
}

test("a webhook, a hook, a job and an agent are deleted in small statements, whatever they have been sent", async () => {
  const webhook = await makeWebhook("ada");
  expect((await call(url, "DELETE", `/v1/webhooks/${webhook}`)).status).toBe(204);
  expect(await count("outbox")).toBe(0);

  const agent_id = await makeAgent(url, "def main(input): return 1");
  const makeHook = async () => {
    const { body } = await call(url, "POST", "/v1/hooks", { agent_id, verify: "none" });
    await stack.sql.query(
      `INSERT INTO hook_deliveries (id, hook_id, status, bytes) SELECT $1 || '-' || n, $1, 'accepted', 1 FROM generate_series(1, ${rows}) AS n`,
      [body["id"]],
    );
    return String(body["id"]);
  };
  expect((await call(url, "DELETE", `/v1/hooks/${await makeHook()}`)).status).toBe(204);
  expect(await count("hook_deliveries")).toBe(0);

  await makeHook();
  const makeJob = async () => {
    const { body } = await call(url, "POST", "/v1/jobs", { agent_id, version: "current", schedule: "@yearly" });
    await stack.sql.query(
      `INSERT INTO job_ticks (job_id, scheduled_at, outcome) SELECT $1, now() - n * interval '1 h', 'fired' FROM generate_series(1, ${rows}) AS n`,
      [body["id"]],
    );
    return String(body["id"]);
  };
  expect((await call(url, "DELETE", `/v1/jobs/${await makeJob()}`)).status).toBe(204);
  expect(await count("job_ticks")).toBe(0);
  await makeJob();
  await stack.sql.query("INSERT INTO daemons (agent_id, user_id, version) VALUES ($1, 'tester', '1.0.0')", [agent_id]);
  await stack.sql.query(
    `INSERT INTO daemon_logs (agent_id, epoch, first_seq, last_seq, entries) SELECT $1, 1, n, n, '[]' FROM generate_series(1, ${rows}) AS n`,
    [agent_id],
  );
  expect((await call(url, "DELETE", `/v1/agents/${agent_id}`)).status).toBe(204);
  for (const table of ["hook_deliveries", "job_ticks", "daemon_logs", "agents"]) expect(await count(table)).toBe(0);
});

test("an agent that is in use is not paused by a deletion that is refused", async () => {
  const agent_id = await makeAgent(url, "def main(input): return 1");
  await stack.sql.query(
    "INSERT INTO daemons (agent_id, user_id, version, status) VALUES ($1, 'tester', '1.0.0', 'running')",
    [agent_id],
  );
  expect(await call(url, "DELETE", `/v1/agents/${agent_id}`)).toMatchObject({
    status: 409,
    body: { code: "agent_in_use" },
  });
  expect((await call(url, "GET", `/v1/agents/${agent_id}`)).body["status"]).toBe("active");
});

test("a user is deleted, and notifications are read, in small statements", async () => {
  await makeWebhook("eve");
  await stack.sql.query(
    `INSERT INTO notifications (id, user_id, type, title) SELECT 'notif-' || n, 'eve', 't', 't' FROM generate_series(1, ${rows}) AS n`,
  );
  await stack.sql.query(
    `INSERT INTO store_items (user_id, namespace, key, value) SELECT 'eve', 'n', n::text, '1' FROM generate_series(1, ${rows}) AS n`,
  );
  const read = await call(url, "POST", "/v1/notifications/read-all", { user_id: "eve" });
  expect(read.body).toMatchObject({ changed: rows });
  expect((await call(url, "DELETE", "/v1/users/eve")).status).toBe(204);
  for (const table of ["outbox", "webhooks", "notifications", "store_items"]) expect(await count(table)).toBe(0);
});

test("what a webhook is still owed when it is disabled is given up in small statements", async () => {
  const webhook_id = await makeWebhook("gus");
  const gone = { status_code: 410, error: "http_410", duration_ms: 1, verdict: { status: "gone" } } as const;
  await recordTry(db, { id: `${webhook_id}-7`, tries: 0, webhook_id, url: "http://127.0.0.1:9/" }, gone, 1);
  const { rows: left } = await stack.sql.query("SELECT DISTINCT status FROM outbox WHERE webhook_id = $1", [
    webhook_id,
  ]);
  expect(left).toEqual([{ status: "exhausted" }]);
});
