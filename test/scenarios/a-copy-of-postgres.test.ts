import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { startPostgres } from "../../dev/postgres.ts";
import { prepareEmbedded } from "../../dev/prepare-database.ts";
import { reachableFolder } from "../../dev/reachable.ts";
import { loginUrl } from "../../dev/database-roles.ts";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { copyCluster } from "../harness/copy-cluster.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const folder = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-tests"), "copies-"));
chmodSync(folder, 0o711);
const urlFile = join(folder, "url");
const dataDir = (name: string): string => join(folder, name);
const opened: { close(): Promise<void> }[] = [];
const start = async (name: string) => {
  const server = await startPostgres({ dataDir: dataDir(name), fsync: false });
  opened.push(server);
  return server;
};
// Before the stack's own, so that it comes after it: its API and worker need a server to leave in order.
afterAll(async () => {
  await Promise.all(opened.map((server) => server.close()));
  rmSync(folder, { recursive: true, force: true });
});

const stack = await useTestStack();
const first = await start("first");
const { processUrl } = await prepareEmbedded(first.url);
const env = { DATABASE_URL: processUrl, EXPECTED_ADAPTERS: "python" };
const worker = await stack.openWorker(env);
const { url } = await stack.openApi({ ...env, DATABASE_URL_FILE: urlFile });

const agent_id = await makeAgent(
  url,
  py`
    import os
    def main(input):
        yield "said"
        # Its value would be redacted.
        return os.environ["WORD"].upper()
  `,
);
const begin = async (word: string): Promise<string> => {
  const sent = { agent_id, version: "current", env_vars: { WORD: word } };
  const accepted = await execute(url, sent, { prefer: "respond-async" });
  return String(((await accepted.json()) as { run_id: string }).run_id);
};
const statusOf = async (at: string, id: string): Promise<unknown> => (await call(at, "GET", `/v1/runs/${id}`)).body;

test("analytics come from a standby while it keeps up, else from the primary", async () => {
  await copyCluster({ url: first.url, from: dataDir("first"), to: dataDir("standby"), isStandby: true });
  const standby = await start("standby");
  const reading = await stack.openApi({ ...env, DATABASE_READ_URL: loginUrl(standby.url) });
  const sql = new pg.Client({ connectionString: standby.url });
  await sql.connect();
  const counted = async (): Promise<number> => {
    const { status, body } = await call(reading.url, "GET", "/v1/runs/count");
    if (status !== 200) throw new Error(`count: ${status}`);
    return (body["data"] as { count: number }[]).reduce((sum, { count }) => sum + count, 0);
  };
  await begin("one");
  await waitFor(async () => {
    expect(await counted()).toBeLessThanOrEqual(1);
    const { rows } = await sql.query(
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'runfleet-api' AND query LIKE '%AS counted%'",
    );
    return rows.length > 0;
  }, 30_000);

  // It no longer follows: after some seconds the primary is asked.
  await sql.query("SELECT pg_wal_replay_pause()");
  await begin("two");
  await waitFor(async () => (await counted()) === 2, 30_000);
  await sql.query("SELECT pg_wal_replay_resume()");
  await sql.end();

  await standby.close();
  expect(await counted()).toBe(2);
  await reading.close();
});

test("a backup is restored: what was said is there, what waited is executed, and an API follows the file with its URL", async () => {
  const before = await begin("sealed-1");
  const said = await readEvents(await resume(url, before));
  expect(said.at(-1)?.event).toBe("run.success");
  await worker.close();
  const waiting = await begin("sealed-2");
  await copyCluster({ url: first.url, from: dataDir("first"), to: dataDir("restored") });
  const after = await begin("lost with the first");
  await first.close();

  const restored = await start("restored");
  writeFileSync(urlFile, loginUrl(restored.url));
  await waitFor(async () => (await call(url, "GET", "/health/ready")).status === 200, 30_000);
  // Redis is another one, and empty.
  await stack.openWorker({ ...env, DATABASE_URL: loginUrl(restored.url), REDIS_PREFIX: `${stack.prefix}restored:` });
  await waitFor(async () => ((await statusOf(url, waiting)) as { status: string }).status === "success", 30_000);
  expect(await statusOf(url, waiting)).toMatchObject({ attempt: 1, result_content: { output: "SEALED-2" } });
  await stack.redis.del(`${stack.prefix}run:${before}`);
  expect(await readEvents(await resume(url, before))).toEqual(said);
  expect((await call(url, "GET", `/v1/runs/${after}`)).status).toBe(404);
});
