import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { startPostgres } from "../../dev/postgres.ts";
import { prepareEmbedded } from "../../dev/prepare-database.ts";
import { reachableFolder } from "../../dev/reachable.ts";
import { loginUrl } from "../../dev/database-roles.ts";
import { findProgram } from "../../dev/find-program.ts";
import { freePort } from "../../dev/free-port.ts";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { copyCluster } from "../harness/copy-cluster.ts";
import { nodePassword, openRedisNodes } from "../harness/redis-nodes.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const folder = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-tests"), "copies-"));
chmodSync(folder, 0o711);
const urlFile = join(folder, "url");
const keysFile = join(folder, "keys");
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
const firstKey = String(stack.env["ENCRYPTION_KEYS"]);
writeFileSync(keysFile, firstKey);
const env = { DATABASE_URL: processUrl, EXPECTED_ADAPTERS: "python", ENCRYPTION_KEYS_FILE: keysFile };
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

test("Postgres and Redis are spoken to by TLS, and not when nobody known vouches for them", async (ctx) => {
  const nodes = await openRedisNodes();
  const openssl = findProgram(["openssl"], process.env["PATH"] ?? "");
  if (nodes === null || openssl === null) return ctx.skip("there is no redis-server or no openssl here");
  ctx.onTestFinished(() => nodes.close());
  const [key, certificate] = [join(folder, "server.key"), join(folder, "server.crt")];
  const made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  const names = ["-addext", "subjectAltName=DNS:localhost"];
  execFileSync(openssl, ["req", ...made, ...names, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  const { uid, gid } = statSync(realpathSync(join(dataDir("first"), "postgres", "cluster")));
  chownSync(key, uid, gid);
  chmodSync(key, 0o600);

  const sql = new pg.Client({ connectionString: first.url });
  await sql.connect();
  for (const [name, value] of Object.entries({ ssl_cert_file: certificate, ssl_key_file: key, ssl: "on" }))
    await sql.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  await sql.query("SELECT pg_reload_conf()");
  const tlsPort = await freePort();
  const files = [`tls-cert-file ${certificate}`, `tls-key-file ${key}`, `tls-ca-cert-file ${certificate}`];
  await nodes.start([`requirepass ${nodePassword}`, `tls-port ${tlsPort}`, "tls-auth-clients no", ...files]);

  const place = new URL(processUrl);
  place.hostname = "localhost";
  const checked = { ...env, REDIS_URL: `rediss://:${nodePassword}@localhost:${tlsPort}` };
  const [known, unknown] = await Promise.all([
    stack.start("api", {
      ...{ ...checked, NODE_EXTRA_CA_CERTS: certificate },
      DATABASE_URL: `${place.href}?sslmode=verify-full&sslrootcert=${certificate}`,
    }),
    stack.openApi({ ...checked, DATABASE_URL: `${place.href}?sslmode=verify-full` }),
  ]);
  const stores = async (at: string) => {
    const { postgres, redis } = (await call(at, "GET", "/health")).body;
    return { postgres, redis };
  };
  await waitFor(async () => (await stores(known.url)).redis === "up");
  expect(await stores(known.url)).toEqual({ postgres: "up", redis: "up" });
  expect(await stores(unknown.url)).toEqual({ postgres: "down", redis: "down" });
  const { rows } = await sql.query(
    "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'runfleet-api' AND ssl",
  );
  expect(rows).toEqual([{ ssl: true }]);
  await Promise.all([known.stop(), unknown.close(), sql.end()]);
});

test("a key that is put into the file seals what comes, in every process, without a restart; a file without keys changes nothing", async () => {
  const sql = new pg.Client({ connectionString: first.url });
  await sql.connect();
  /** Returns the id of the key that seals now. */
  async function sealing(): Promise<string> {
    expect((await call(url, "PUT", "/v1/secrets/WORD", { value: "kept" })).status).toBe(200);
    const { rows } = await sql.query<{ sealed: Buffer }>("SELECT sealed_value AS sealed FROM secrets");
    const [sealed] = rows.map((row) => row.sealed);
    return sealed?.toString("utf8", 1, 1 + (sealed[0] ?? 0)) ?? "";
  }
  expect(await sealing()).toBe("k1");
  const both = `k2:${randomBytes(32).toString("base64")},${firstKey}`;
  writeFileSync(keysFile, both);
  await waitFor(async () => (await sealing()) === "k2");
  // The API seals `env_vars` by the new key, so the worker has it, too.
  await waitFor(async () => (await readEvents(await resume(url, await begin("new")))).at(-1)?.event === "run.success");
  writeFileSync(keysFile, "k3:short");
  expect(await sealing()).toBe("k2");
  writeFileSync(keysFile, both);
  await sql.end();
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
  const place = { DATABASE_URL: loginUrl(restored.url), REDIS_PREFIX: `${stack.prefix}restored:` };
  await stack.openWorker({ ...env, ...place, ENCRYPTION_KEYS: readFileSync(keysFile, "utf8") });
  await waitFor(async () => ((await statusOf(url, waiting)) as { status: string }).status === "success", 30_000);
  expect(await statusOf(url, waiting)).toMatchObject({ attempt: 1, result_content: { output: "SEALED-2" } });
  await stack.redis.del(`${stack.prefix}run:${before}`);
  expect(await readEvents(await resume(url, before))).toEqual(said);
  expect((await call(url, "GET", `/v1/runs/${after}`)).status).toBe(404);
});
