import { expect, onTestFinished, test } from "vitest";
import { type Answer, call, makeAgent } from "../harness/client.ts";
import { control, daemonThat, readDaemon, readLog } from "../harness/daemon-client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const echo = py`
  import os
  def on_message(input):
      return {**input, 'version': os.environ['AGENT_VERSION']}
`;
const nodeEcho = "export const onMessage = (input) => ({ ...input, version: process.env.AGENT_VERSION });\n";

/** A worker that ends with its test: the next one's daemons are supervised by other times. */
async function startWorker(env: Record<string, string> = {}): Promise<void> {
  const times = { DAEMON_BACKOFF_SCALE: "0.01", DAEMON_WATCH_MS: "1500", DAEMON_STALL_MS: "5000" };
  const worker = await stack.start("worker", { ...times, ...env });
  onTestFinished(() => worker.stop("SIGKILL"));
}

const stack = await useTestStack();
const { url } = await stack.openApi();

/** Sends a message and waits for its end: on a crowded machine longer than the API holds a request. */
async function ask(agent_id: string, payload: object): Promise<Answer> {
  const sent = await call(url, "POST", `/v1/daemon/${agent_id}/messages?wait=25`, { payload });
  if (sent.body["status"] === "success") return sent;
  return waitFor(async () => {
    const run = await call(url, "GET", `/v1/runs/${String(sent.body["id"])}`);
    return ["success", "error"].includes(String(run.body["status"])) ? run : null;
  }, 15_000);
}

test("an upgrade drains and replaces the daemon, and stands when it is healthy; in between nothing is lost", async () => {
  await startWorker();
  const agent_id = await makeAgent(url, echo);
  await ask(agent_id, {});
  const messages = Array.from({ length: 30 }, (_, i) => ask(agent_id, { i }));
  const upgraded = await call(url, "POST", "/v1/upgrade", { agent_id, version: "1.1.0" });
  expect([upgraded.status, upgraded.body]).toMatchObject([
    200,
    {
      agent_id,
      previous_version: "1.0.0",
      version: "1.1.0",
      direction: "upgrade",
      changed: true,
      created: true,
      daemon: { version: "1.1.0", previous_version: "1.0.0" },
    },
  ]);
  const again = await call(url, "POST", "/v1/upgrade", { agent_id, version: "1.1.0" });
  expect(again.body).toMatchObject({ changed: false, created: false, direction: "none" });
  for (const { body } of await Promise.all(messages)) expect(body["status"]).toBe("success");
  await daemonThat(url, agent_id, ({ version, status, previous_version }) => {
    return version === "1.1.0" && status === "running" && previous_version === null;
  });
  expect((await ask(agent_id, {})).body["result_content"]).toMatchObject({ version: "1.1.0" });
  const back = await call(url, "POST", "/v1/rollback", { agent_id });
  expect(back.body).toMatchObject({
    version: "1.0.0",
    previous_version: "1.1.0",
    direction: "downgrade",
    changed: true,
  });
  await daemonThat(url, agent_id, ({ version, previous_version }) => version === "1.0.0" && previous_version === null);
  expect((await ask(agent_id, {})).body["result_content"]).toMatchObject({ version: "1.0.0" });
});

test.each([
  [
    "crashes at its start",
    "python",
    py`
      raise SystemExit(4)
      def on_message(input):
          return input
    `,
  ],
  ["crashes at its start", "node", "process.exit(4);\n"],
  [
    "fails with what is no text to Postgres",
    "python",
    "def on_message(input): return input\nraise RuntimeError('a\\0b')\n",
  ],
  ["fails with what is no text to Postgres", "node", 'JSON.parse("\u{1f600}");\n'],
  [
    "makes no progress",
    "python",
    py`
      import time
      def on_message(input):
          time.sleep(3)
          return {'version': 'bad'}
    `,
  ],
])(
  "an upgrade to a version that %s goes back by itself, daemon and current alike (%s)",
  async (_name, adapter_type, source) => {
    await startWorker({ DAEMON_STALL_MS: "700" });
    const agent_id = await makeAgent(url, adapter_type === "node" ? nodeEcho : echo, { adapter_type });
    await ask(agent_id, {});
    const config = { source, adapter_type };
    await call(url, "POST", "/v1/agents", { id: agent_id, user_id: "tester", name: "agent", version: "2.0.0", config });
    await call(url, "POST", "/v1/upgrade", { agent_id, version: "2.0.0" });
    const asked = ask(agent_id, {});
    await daemonThat(url, agent_id, ({ version, status }) => version === "1.0.0" && status === "running", 20_000);
    expect((await asked).body["status"]).toBe("success");
    const { rows } = await stack.sql.query("SELECT current_version FROM agents WHERE id = $1", [agent_id]);
    expect(rows).toEqual([{ current_version: "1.0.0" }]);
    const said = "daemon: version 2.0.0 isn't healthy: back to 1.0.0";
    await waitFor(async () => (await readLog(url, agent_id)).includes(said));
    const acts = (await call(url, "GET", `/v1/admin/audit?target_type=agent&target_id=${agent_id}`)).body["data"];
    const back = { previous_version: "2.0.0", version: "1.0.0" };
    const expectBack = { ...back, reason: "daemon_unhealthy" };
    expect(acts).toContainEqual(
      expect.objectContaining({ actor: "service", action: "rollback_agent", user_id: "tester", detail: expectBack }),
    );
    expect(acts).toContainEqual(
      expect.objectContaining({
        actor: "open",
        action: "upgrade_agent",
        detail: { previous_version: "1.0.0", version: "2.0.0", changed: true, created: false },
      }),
    );
    const told = await call(url, "GET", `/v1/notifications?agent_id=${agent_id}&type=daemon.rolled_back`);
    expect(told.body["data"]).toMatchObject([{ user_id: "tester", level: "error", data: back }]);
  },
);

/** Lets no run begin until the test says so. */
async function holdClaims(): Promise<{ claimed: () => Promise<boolean>; release: () => Promise<void> }> {
  const locker = await stack.sql.connect();
  onTestFinished(() => locker.release(true));
  await locker.query("BEGIN; SELECT pg_advisory_xact_lock(5262020)");
  await stack.sql.query(`
    CREATE FUNCTION wait_to_begin() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock(5262020); RETURN new; END $$;
    CREATE TRIGGER wait_to_begin BEFORE UPDATE ON runs FOR EACH ROW
      WHEN (new.status = 'running' AND old.status = 'queued') EXECUTE FUNCTION wait_to_begin()`);
  const waits = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 5262020 AND NOT granted";
  return {
    claimed: async () => (await stack.sql.query(waits)).rows.length > 0,
    async release() {
      await locker.query("COMMIT");
      await stack.sql.query("DROP FUNCTION wait_to_begin CASCADE");
    },
  };
}

test.each([
  ["is replaced", (agent_id: string) => call(url, "POST", "/v1/upgrade", { agent_id, version: "1.1.0" })],
  [
    "crashes and starts again",
    async (agent_id: string) => {
      const { pid } = await daemonThat(url, agent_id, ({ status }) => status === "running");
      process.kill(pid ?? 0, "SIGKILL");
    },
  ],
])("a message that is claimed while its daemon %s waits for the new process, uncharged", async (_how, replace) => {
  await startWorker();
  const source = py`
    import time
    time.sleep(1)
    def on_message(input):
        return input
  `;
  const agent_id = await makeAgent(url, source);
  await ask(agent_id, {});
  const before = await readDaemon(url, agent_id);
  const { claimed, release } = await holdClaims();
  const asked = ask(agent_id, { n: 1 });
  await waitFor(claimed);
  await replace(agent_id);
  await daemonThat(url, agent_id, ({ pid, status }) => pid !== null && pid !== before.pid && status === "starting");
  await release();
  const { body } = await asked;
  expect(body).toMatchObject({ status: "success", result_content: { n: 1 } });
  const timeline = await call(url, "GET", `/v1/runs/${String(body["id"])}/timeline`);
  const moves = timeline.body["data"] as { to: string; reason: string | null }[];
  expect(moves.filter(({ reason }) => reason === "daemon_stopped").length).toBeGreaterThan(0);
  expect(moves.filter(({ reason }) => reason === "daemon_crashed")).toEqual([]);
});

test("a pause within the watch of an upgrade doesn't end the watch, which begins anew at the resume", async () => {
  await startWorker({ DAEMON_STALL_MS: "700" });
  const stuck = py`
    import time
    def on_message(input):
        time.sleep(3)
        return {'version': 'bad'}
  `;
  const agent_id = await makeAgent(url, echo);
  await ask(agent_id, {});
  const config = { source: stuck };
  await call(url, "POST", "/v1/agents", { id: agent_id, user_id: "tester", name: "agent", version: "2.0.0", config });
  await call(url, "POST", "/v1/upgrade", { agent_id, version: "2.0.0" });
  await daemonThat(url, agent_id, ({ version, status }) => version === "2.0.0" && status === "running");
  await control(url, agent_id, { action: "pause" });
  await stack.sql.query("UPDATE daemons SET watch_until = now() - interval '1 s' WHERE agent_id = $1", [agent_id]);
  const beats = async () =>
    (await stack.sql.query("SELECT lease_until FROM daemons WHERE agent_id = $1", [agent_id])).rows[0].lease_until;
  const before = await beats();
  await waitFor(async () => (await beats()) > before);
  expect(await control(url, agent_id, {})).toMatchObject({ daemon: { status: "paused", previous_version: "1.0.0" } });
  expect(await control(url, agent_id, { action: "resume" })).toMatchObject({ daemon: { previous_version: "1.0.0" } });
  const asked = ask(agent_id, {});
  await daemonThat(url, agent_id, ({ version, status }) => version === "1.0.0" && status === "running", 20_000);
  expect((await asked).body["status"]).toBe("success");
});

test("strict refuses a version that isn't published; unknown agents and a rollback from the first version are 404", async () => {
  const agent_id = await makeAgent(url, echo);
  const post = async (path: string, body: object) => (await call(url, "POST", path, body)).status;
  expect(await post("/v1/upgrade?strict=true", { agent_id, version: "7" })).toBe(404);
  expect(await post("/v1/upgrade", { agent_id: "nobody", version: "7" })).toBe(404);
  expect(await post("/v1/upgrade", { agent_id })).toBe(422);
  expect(await call(url, "POST", "/v1/rollback", { agent_id })).toMatchObject({
    status: 404,
    body: {
      code: "version_not_found",
      detail: "No version was published before the current one. Name the `version` to go back to.",
    },
  });
});
