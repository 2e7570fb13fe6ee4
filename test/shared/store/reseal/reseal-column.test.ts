import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { seal } from "../../../../shared/platform/secrets/seal.ts";
import { sealedFields } from "../../../../shared/platform/secrets/sealed-fields.ts";
import { sealedColumns } from "../../../../shared/store/reseal/sealed-columns.ts";
import { call, makeAgent } from "../../../harness/client.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

const newKey = (id: string): string => `${id}:${randomBytes(32).toString("base64")}`;
const [old, fresh] = [newKey("k1"), newKey("longerid2")];

const stack = await useTestStack();

const start = async (keys: string): Promise<string> => (await stack.openApi({ ENCRYPTION_KEYS: keys })).url;

async function reseal(keys: string, more: Record<string, string> = {}): Promise<{ code: number; stdout: string }> {
  const env = { ...stack.env, ENCRYPTION_KEYS: keys, ...more };
  return promisify(execFile)(process.execPath, ["dist/prisma/reseal-main.js"], { env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  );
}

/** Something sealed in each of the columns, by the API at `url`. */
async function plant(url: string): Promise<{ agent_id: string; job: string; webhook: string }> {
  const agent_id = await makeAgent(url, "def main(input): return 1", { secrets: ["TOKEN"] });
  await call(url, "PUT", `/v1/agents/${agent_id}/secrets/TOKEN`, { value: "s3cret" });
  const body = { agent_id, version: "current", schedule: "@yearly", env_vars: { A: "b" } };
  const job = await call(url, "POST", "/v1/jobs", body, { "idempotency-key": "once" });
  const webhook = await call(url, "POST", "/v1/webhooks", { url: "http://127.0.0.1:9/", events: ["run.error"] });
  await call(url, "POST", "/v1/users/me/callback-secret", {});
  await call(url, "POST", "/v1/daemons", { agent_id, env_vars: { C: "d" } });
  await call(url, "PUT", "/v1/connections/openai", { preset: "openai", secret: "sk-12345678" });
  const signed = await call(url, "POST", "/v1/hooks", { agent_id, verify: "github" });
  await call(url, "POST", `/v1/hooks/${String(signed.body["id"])}/rotate`, {});
  const open = await call(url, "POST", "/v1/hooks", { agent_id, verify: "none" });
  // No worker is there to start its run, so it is kept to be repeated.
  await call(url, "POST", `/hooks/${String(open.body["id"])}`, {});
  const [id = "", key = ""] = old.split(":");
  const keyRing = [{ id, key: Buffer.from(key, "base64") }];
  await stack.sql.query(
    "INSERT INTO journal_entries (run_id, key, place, attempt, kind, writer, sealed_entry) VALUES ('r', 'k', 1, 1, 'step', 'worker', $1)",
    [seal(keyRing, "{}", sealedFields.journalEntry("r", "k"))],
  );
  await stack.sql.query(
    "INSERT INTO run_waits (run_id, key, attempt, kind, names, sealed_entry) VALUES ('r', 'k', 1, 'timer', '{}', $1)",
    [seal(keyRing, "{}", sealedFields.journalEntry("r", "k"))],
  );
  await stack.sql.query(
    "INSERT INTO run_inputs (run_id, id, kind, name, sent_id, sealed_payload) VALUES ('r', 'i', 'signal', 'n', 'i', $1)",
    [seal(keyRing, "1", sealedFields.runInput("r", "i"))],
  );
  await stack.sql.query(
    "INSERT INTO run_checkpoints (run_id, id, namespace, checkpoint_id, sealed_content) VALUES ('r', 'c', '', '1', $1)",
    [seal(keyRing, "{}", sealedFields.runCheckpoint("r", "c"))],
  );
  return { agent_id, job: String(job.body["id"]), webhook: String(webhook.body["id"]) };
}

test("every sealed column of the database is known", async () => {
  const { rows } = await stack.sql.query(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name LIKE 'sealed%' ORDER BY 1`,
  );
  const known = sealedColumns.filter(({ isAnswer }) => !isAnswer).map(({ table, column }) => `${table}.${column}`);
  expect(known.toSorted()).toEqual(rows.map(({ name }) => name));
});

test("what an old key sealed is sealed with the first one, and opens without the old one afterwards", async () => {
  const before = await start(old);
  const { agent_id, job } = await plant(before);
  const { rows } = await stack.sql.query("SELECT sealed_env FROM jobs WHERE id = $1", [job]);
  await stack.sql.query(
    "INSERT INTO runs (id, user_id, agent_id, version, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms, input_payload, history, files, request_hash, expires_at) SELECT 'run_' || n, 'u', 'a', '1', 3, 'python', 'sandbox', 'serverless', 1, '{}', '[]', '[]', '', now() FROM generate_series(1, 250) AS n",
  );
  // More than a batch that no key opens, so that these are passed by.
  await stack.sql.query(
    "INSERT INTO run_secrets (run_id, sealed_env) SELECT id, $1 FROM runs WHERE id LIKE 'run\\_%'",
    [rows[0].sealed_env],
  );
  const stuck = await reseal(`${fresh},${old}`);
  expect(stuck.code).toBe(1);
  expect(stuck.stdout).toContain("run_secrets.sealed_env: 250 left under the key k1");
  for (const column of sealedColumns.filter(({ table }) => table !== "run_secrets"))
    expect(stuck.stdout).toContain(`${column.table}.${column.column}: 1 sealed with the key longerid2`);
  await stack.sql.query("DELETE FROM run_secrets");
  await stack.sql.query(
    `INSERT INTO idempotency_keys (user_id, route, key, request_hash, status_code, response, expires_at)
     VALUES ('u', 'broken', 'k', '', 200, '"%"', now() + interval '1 h')`,
  );
  // A column that can't be read keeps no other from its turn.
  const broken = await reseal(`${old},${fresh}`);
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringContaining("idempotency_keys.response failed") });
  expect(broken.stdout).toContain("webhook_secrets.sealed_secret: 1 sealed with the key k1");
  await stack.sql.query("DELETE FROM idempotency_keys WHERE route = 'broken'");
  expect(await reseal(`${fresh},${old}`)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Nothing is left under other keys than longerid2"),
  });
  const after = await start(fresh);
  const repeat = { agent_id, version: "current", schedule: "@yearly", env_vars: { A: "b" } };
  const again = await call(after, "POST", "/v1/jobs", repeat, { "idempotency-key": "once" });
  expect(again.body["id"]).toBe(job);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect((await call(after, "PATCH", `/v1/jobs/${job}`, { name: "new" })).status).toBe(200);
  // It opens what stood, to see that these are the same.
  const daemon = await call(after, "POST", "/v1/daemons", { agent_id, env_vars: { C: "d" } });
  expect(daemon.status).toBe(200);
}, 90_000);

test("behind a pooler it asks Postgres itself, whose session can be told to have no time limit", async () => {
  const env = {
    DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none",
    DATABASE_POOLER: "transaction",
    DIRECT_DATABASE_URL: stack.env["DATABASE_URL"] ?? "",
  };
  const { stdout } = await reseal(`${fresh},${old}`, env);
  expect(stdout).not.toContain("Not all was read");
});
