import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../../harness/client.ts";
import { control } from "../../harness/daemon-client.ts";
import { py } from "../../harness/py.ts";
import { webhookMessage } from "../../../shared/schemas/webhook-message.ts";
import { answer, openReceiver, type Received, type Receiver } from "../../harness/receiver.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const receivers: Receiver[] = [];

const stack = await useTestStack();
// 100,000 times as fast: the last of the ten tries comes after some seconds.
const { url } = await stack.startService({
  worker: { CALLBACK_SCHEDULE_SCALE: "0.00001", DAEMON_BACKOFF_SCALE: "0.05" },
});
afterEach(async () => {
  await stack.sql.query("DELETE FROM webhooks");
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

const waitMs = 30_000;

async function receiver(): Promise<Receiver> {
  const opened = await openReceiver();
  receivers.push(opened);
  return opened;
}

type Made = { id: string; secret: string };
async function hook(target: string, events?: string[], user_id = "tester"): Promise<Made> {
  const body = { url: `${target}/hook`, user_id, ...(events && { events }) };
  const made = await call(url, "POST", "/v1/webhooks", body);
  expect(made.status).toBe(201);
  return made.body as Made;
}

async function run(source: string, more: Record<string, unknown> = {}): Promise<string> {
  const agent_id = await makeAgent(url, source);
  const response = await execute(url, { agent_id, version: "current", ...more });
  await readEvents(response);
  return response.headers.get("x-run-id") ?? "";
}

const read = async (id: string) => (await call(url, "GET", `/v1/webhooks/${id}`)).body;
type Delivery = { id: string; type: string; status: string; attempts: number; tries: unknown[]; last_error: string };
const deliveries = async (id: string, query = "") =>
  (await call(url, "GET", `/v1/webhooks/${id}/deliveries${query}`)).body["data"] as Delivery[];
/** Throws when a webhook got something that the OpenAPI document doesn't say. */
const typesOf = (got: Received[]) => got.map(({ body }) => webhookMessage.parse(body).type).toSorted();
const test204 = (id: string) => call(url, "POST", `/v1/webhooks/${id}/test`);

function verifies(key: string, got: Received | undefined): boolean {
  try {
    new Webhook(key).verify(got?.text ?? "", got?.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

const ok = "def main(i): return {'done': True}";
const bad = "def main(i): raise ValueError('no luck')";

test("a webhook is made with a secret shown once, listed, changed and deleted; a private or odd target is refused", async () => {
  const body = { url: "https://example.com/hook", user_id: "maker", events: ["run.*"], metadata: { a: 1, b: 2 } };
  const made = await call(url, "POST", "/v1/webhooks", body);
  expect(made).toMatchObject({ status: 201, body: { object: "webhook", status: "active", events: ["run.*"] } });
  expect(made.body["secret"]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const id = String(made.body["id"]);
  expect(await read(id)).not.toHaveProperty("secret");
  const listed = await call(url, "GET", "/v1/webhooks?user_id=maker&status=active");
  expect(listed.body["data"]).toMatchObject([{ id }]);
  const patched = await call(url, "PATCH", `/v1/webhooks/${id}`, { status: "paused", metadata: { a: null } });
  expect(patched.body).toMatchObject({ status: "paused", metadata: { b: 2 }, events: ["run.*"] });
  const bads = [
    { url: "http://169.254.169.254/latest" },
    { url: "http://[::ffff:10.0.0.1]/" },
    { url: "ftp://example.com" },
    { url: "https://example.com", events: ["run.succes"] },
    { url: "https://example.com", events: [] },
    {},
  ];
  for (const one of bads) expect([one, (await call(url, "POST", "/v1/webhooks", one)).status]).toEqual([one, 422]);
  expect((await call(url, "PATCH", `/v1/webhooks/${id}`, { url: "http://10.0.0.1" })).status).toBe(422);
  expect((await call(url, "DELETE", `/v1/webhooks/${id}`)).status).toBe(204);
  expect((await call(url, "GET", `/v1/webhooks/${id}`)).status).toBe(404);
});

test("each gets the events that it asks for, by name, family or all, of its own user, each once and signed", async () => {
  const [all, runs, errors, notes, foreign] = await Promise.all(Array.from({ length: 5 }, receiver));
  if (!all || !runs || !errors || !notes || !foreign) throw new Error("no receivers");
  const { secret } = await hook(all.url);
  await hook(runs.url, ["run.*"]);
  await hook(errors.url, ["run.error"]);
  await hook(notes.url, ["notification.run.error", "daemon.*"]);
  await hook(foreign.url, ["*"], "somebody");
  const good = await run(ok);
  const failed = await run(bad);
  await waitFor(() => all.got.length === 3 && runs.got.length === 2 && errors.got.length === 1, waitMs);
  await waitFor(() => notes.got.length === 1, waitMs);
  expect(typesOf(all.got)).toEqual(["notification.run.error", "run.error", "run.success"]);
  expect(typesOf(runs.got)).toEqual(["run.error", "run.success"]);
  expect(notes.got[0]?.body).toMatchObject({
    type: "notification.run.error",
    data: { run_id: failed, level: "error" },
  });
  expect(foreign.got).toEqual([]);
  const one = all.got.find(({ body }) => body["type"] === "run.success");
  expect(one?.body).toMatchObject({ run_id: good, status: "success", result_content: { done: true } });
  expect(one?.body).not.toHaveProperty("data.input_payload");
  for (const { text, headers } of all.got)
    expect(() => new Webhook(secret).verify(text, headers as Record<string, string>)).not.toThrow();
  // A run's webhooks aren't its callback.
  expect((await call(url, "GET", `/v1/runs/${good}/callbacks`)).body).toEqual({ callback: null, data: [] });
});

test("a run's callback and its webhooks are told apart, and each is delivered", async () => {
  const [callback, webhook] = [await receiver(), await receiver()];
  const { id } = await hook(webhook.url, ["run.success"]);
  const runId = await run(ok, { completion_callback_url: `${callback.url}/callback` });
  await waitFor(() => callback.got.length === 1 && webhook.got.length === 1, waitMs);
  expect(callback.got[0]?.headers["webhook-id"]).not.toBe(webhook.got[0]?.headers["webhook-id"]);
  // The receiver has the callback a moment before the worker has noted it.
  const told = await waitFor(async () => {
    const { callback } = (await call(url, "GET", `/v1/runs/${runId}/callbacks`)).body as {
      callback: { status: string };
    };
    return callback.status === "delivered" ? callback : null;
  });
  expect(told).toMatchObject({ attempts: 1 });
  await waitFor(async () => (await deliveries(id))[0]?.status === "delivered");
  expect(await deliveries(id)).toMatchObject([
    { type: "run.success", run_id: runId, attempts: 1, tries: [{ try: 1, status_code: 204 }] },
  ]);
  // A run's event has no body of its own: the run's record is sent.
  expect(await deliveries(id, "?include=payload")).toMatchObject([{ type: "run.success", payload: null }]);
  await call(url, "POST", `/v1/webhooks/${id}/test`);
  const [tested] = await waitFor(() => deliveries(id, "?type=webhook.test&include=payload"));
  expect(tested).toMatchObject({ payload: { type: "webhook.test", data: { webhook_id: id } } });
});

test("a run that asks a person tells so while it waits, with what it asks", async () => {
  const target = await receiver();
  await hook(target.url, ["run.interrupted"]);
  const agent_id = await makeAgent(
    url,
    py`
      def main(i, context):
          return context.interrupt('approve?')
    `,
  );
  const response = await execute(url, { agent_id, version: "current" });
  const events = await readEvents(response);
  expect(events.at(-1)?.event).toBe("run.interrupted");
  await waitFor(() => target.got.length === 1, waitMs);
  expect(target.got[0]?.body).toMatchObject({
    type: "run.interrupted",
    run_id: response.headers.get("x-run-id"),
    agent_id,
    interrupts: [{ id: expect.any(String) }],
  });
});

test("a daemon's changes of status are told", async () => {
  const target = await receiver();
  await hook(target.url, ["daemon.*", "notification.*"], "keeper");
  const make = (source: string) =>
    call(url, "POST", "/v1/agents", { user_id: "keeper", name: "d", config: { source } });
  const well = String(
    (
      await make(py`
        import time
        def main(i):
            while True: time.sleep(1)
      `)
    ).body["id"],
  );
  await control(url, well, { action: "start" });
  await waitFor(() => target.got.some(({ body }) => body["type"] === "daemon.running"), waitMs);
  await control(url, well, { action: "stop" });
  await waitFor(() => target.got.some(({ body }) => body["type"] === "daemon.stopped"), waitMs);
  expect(target.got.map(({ body }) => body["agent_id"])).toEqual([well, well]);
}, 60_000);

test("a daemon that fails for good tells its owner once", async () => {
  const target = await receiver();
  await hook(target.url, ["daemon.failed", "notification.daemon.failed"], "loser");
  const config = { source: "raise SystemExit(3)\n" };
  const { body } = await call(url, "POST", "/v1/agents", { user_id: "loser", name: "d", config });
  const agent_id = String(body["id"]);
  await control(url, agent_id, { action: "start" }, 0);
  await waitFor(() => target.got.length >= 2, 90_000);
  expect(typesOf(target.got)).toEqual(["daemon.failed", "notification.daemon.failed"]);
  const { body: page } = await call(url, "GET", "/v1/notifications?user_id=loser");
  expect(page["data"]).toMatchObject([{ type: "daemon.failed", level: "error", agent_id }]);
}, 120_000);

test("a user's preferences keep a notification from webhooks, and let it through where only they are wanted", async () => {
  const target = await receiver();
  await hook(target.url, ["notification.*"], "picky");
  const preferences = [
    { type: "quiet", webhook: false },
    { type: "aside", in_app: false },
  ];
  await call(url, "PUT", "/v1/notifications/preferences?user_id=picky", { preferences });
  for (const type of ["quiet", "aside"])
    await call(url, "POST", "/v1/notifications", { user_id: "picky", type, title: type });
  await waitFor(() => target.got.length === 1, waitMs);
  expect(typesOf(target.got)).toEqual(["notification.aside"]);
  const { body } = await call(url, "GET", "/v1/notifications?user_id=picky");
  expect(body["data"]).toMatchObject([{ type: "quiet" }]);
});

test("a test is sent whatever events are wanted; a delivery is sent again under its id", async () => {
  const target = await receiver();
  const { id } = await hook(target.url, ["run.timeout"]);
  expect(await test204(id)).toMatchObject({ status: 202, body: { type: "webhook.test", status: "pending" } });
  const [first] = await waitFor(async () => {
    const found = await deliveries(id, "?status=delivered&type=webhook.test");
    return found.length > 0 ? found : null;
  }, waitMs);
  const again = await call(url, "POST", `/v1/webhooks/${id}/redeliver`, { delivery_id: first?.id });
  expect(again).toMatchObject({ status: 202, body: { id: first?.id, status: "pending" } });
  await waitFor(() => target.got.length === 2, waitMs);
  expect(target.got.map(({ headers }) => headers["webhook-id"])).toEqual([first?.id, first?.id]);
  expect(target.got[0]?.text).toBe(target.got[1]?.text);
  await waitFor(async () => (await deliveries(id))[0]?.attempts === 2);
  const other = await hook(target.url);
  const foreign = await call(url, "POST", `/v1/webhooks/${other.id}/redeliver`, { delivery_id: first?.id });
  expect(foreign).toMatchObject({ status: 404, body: { code: "delivery_not_found" } });
});

test("after a rotation both secrets verify, each shown once; when the old one's day is over, only the new", async () => {
  const target = await receiver();
  const { id, secret: old } = await hook(target.url);
  const rotated = await call(url, "POST", `/v1/webhooks/${id}/rotate`);
  const secret = String(rotated.body["secret"]);
  expect([rotated.status, secret === old]).toEqual([201, false]);
  await test204(id);
  await waitFor(() => target.got.length === 1, waitMs);
  await stack.sql.query("UPDATE webhook_secrets SET expires_at = now() WHERE expires_at IS NOT NULL");
  await test204(id);
  await waitFor(() => target.got.length === 2, waitMs);
  expect([old, secret].map((key) => verifies(key, target.got[0]))).toEqual([true, true]);
  expect([old, secret].map((key) => verifies(key, target.got[1]))).toEqual([false, true]);
});

test("however often a secret is rotated, the newest three sign, and no others are stored", async () => {
  const target = await receiver();
  const made = await hook(target.url);
  const secrets = [made.secret];
  for (let i = 0; i < 4; i++)
    secrets.push(String((await call(url, "POST", `/v1/webhooks/${made.id}/rotate`)).body["secret"]));
  await test204(made.id);
  await waitFor(() => target.got.length === 1, waitMs);
  expect(secrets.map((secret) => verifies(secret, target.got[0]))).toEqual([false, false, true, true, true]);
  const stored = "SELECT id FROM webhook_secrets WHERE webhook_id = $1";
  expect((await stack.sql.query(stored, [made.id])).rows).toHaveLength(3);
  await stack.sql.query("UPDATE webhook_secrets SET expires_at = now() WHERE expires_at IS NOT NULL");
  await call(url, "POST", `/v1/webhooks/${made.id}/rotate`);
  expect((await stack.sql.query(stored, [made.id])).rows).toHaveLength(2);
});

test("a user's callback secrets are at most three, too", async () => {
  for (let i = 0; i < 5; i++)
    expect((await call(url, "POST", "/v1/users/me/callback-secret", { user_id: "rotator" })).status).toBe(201);
  const stored = await stack.sql.query("SELECT expires_at FROM callback_secrets WHERE user_id = 'rotator'");
  expect(stored.rows.filter(({ expires_at }) => expires_at === null)).toHaveLength(1);
  expect(stored.rows).toHaveLength(3);
});

test("410 disables a webhook at once, gives up what it was owed, and tells its owner; it can be enabled again", async () => {
  const target = await receiver();
  const { id } = await hook(target.url, ["*"], "goner");
  target.react(answer(410));
  await test204(id);
  const disabled = await waitFor(async () => {
    const webhook = await read(id);
    return webhook["status"] === "disabled" ? webhook : null;
  }, waitMs);
  expect(disabled).toMatchObject({ disabled_reason: expect.stringContaining("410"), failures: 1 });
  const { body } = await call(url, "GET", "/v1/notifications?user_id=goner");
  expect(body["data"]).toMatchObject([{ type: "webhook.disabled", data: { webhook_id: id } }]);
  expect(target.got).toHaveLength(1);
  target.react(answer(204));
  const enabled = await call(url, "PATCH", `/v1/webhooks/${id}`, { status: "active" });
  expect(enabled.body).toMatchObject({ status: "active", disabled_reason: null, failures: 0 });
  await test204(id);
  await waitFor(async () => (await deliveries(id, "?status=delivered")).length >= 1, waitMs);
});

test("a paused webhook hears of nothing meanwhile; what it was owed waits and goes to its new URL", async () => {
  const [before, after] = [await receiver(), await receiver()];
  const { id } = await hook(before.url, ["run.*"]);
  before.react(answer(500));
  await run(ok);
  await waitFor(() => before.got.length > 0, waitMs);
  await call(url, "PATCH", `/v1/webhooks/${id}`, { status: "paused" });
  await run(ok);
  expect(await deliveries(id)).toHaveLength(1);
  await call(url, "PATCH", `/v1/webhooks/${id}`, { status: "active", url: `${after.url}/new` });
  await waitFor(() => after.got.length > 0, waitMs);
  expect(after.got).toMatchObject([{ path: "/new", body: { type: "run.success" } }]);
  expect(after.got[0]?.headers["webhook-id"]).toBe(before.got[0]?.headers["webhook-id"]);
});

test("run.queued and run.started come to a webhook that names them, and to no other", async () => {
  const [named, all] = [await receiver(), await receiver()];
  const { secret } = await hook(named.url, ["run.queued", "run.started", "run.success"]);
  await hook(all.url, ["*"]);
  // Each process asks once a second what webhooks want.
  await sleep(1_100);
  const run_id = await run(ok);
  await waitFor(() => named.got.length >= 3, waitMs);
  await waitFor(() => all.got.length > 0, waitMs);
  expect(typesOf(named.got)).toEqual(["run.queued", "run.started", "run.success"]);
  const [queued] = named.got.filter(({ body }) => body["type"] === "run.queued");
  expect(queued?.body).toMatchObject({ run_id, status: "queued", attempt: 0, version: "1.0.0" });
  expect(() => new Webhook(secret).verify(queued?.text ?? "", queued?.headers as Record<string, string>)).not.toThrow();
  expect(typesOf(all.got)).toEqual(["run.success"]);
});

test("a webhook hears of the agents and of the runs' statuses that it asks for only", async () => {
  const target = await receiver();
  const [mine, other] = [await makeAgent(url, ok), await makeAgent(url, ok)];
  const failing = await makeAgent(url, bad);
  const made = await call(url, "POST", "/v1/webhooks", {
    url: `${target.url}/hook`,
    user_id: "tester",
    agent_ids: [mine, failing],
    statuses: ["success"],
  });
  expect(made).toMatchObject({ status: 201, body: { agent_ids: [mine, failing], statuses: ["success"] } });
  const start = async (agent_id: string) =>
    (await call(url, "POST", "/v1/execute", { agent_id, version: "current" }, { prefer: "wait=20" })).body["id"];
  await start(other);
  await start(failing);
  const heard = await start(mine);
  await waitFor(() => target.got.some(({ body }) => body["run_id"] === heard), waitMs);
  // The failed run's notification has an agent, and no status.
  expect(typesOf(target.got)).toEqual(["notification.run.error", "run.success"]);
  const id = String(made.body["id"]);
  const patched = await call(url, "PATCH", `/v1/webhooks/${id}`, {
    agent_ids: [],
    statuses: ["error"],
    events: ["run.*"],
  });
  expect(patched.body).toMatchObject({ agent_ids: [], statuses: ["error"] });
  const failed = await start(failing);
  await waitFor(() => target.got.some(({ body }) => body["run_id"] === failed), waitMs);
  expect((await deliveries(id, "?type=run.error")).length).toBe(1);
});

test("a webhook with tags hears only of runs that have one of them, and of all other events as before", async () => {
  const target = await receiver();
  const [agent_id, failing] = [await makeAgent(url, ok), await makeAgent(url, bad)];
  const hooked = {
    url: `${target.url}/hook`,
    user_id: "tester",
    agent_ids: [agent_id, failing],
    tags: ["nightly", "eu"],
  };
  const made = await call(url, "POST", "/v1/webhooks", { ...hooked, events: ["*", "run.queued"] });
  expect(made).toMatchObject({ status: 201, body: { tags: ["nightly", "eu"] } });
  // Each process asks once a second what webhooks want.
  await sleep(1_100);
  const start = async (agent: string, tags: string[]) =>
    (await call(url, "POST", "/v1/execute", { agent_id: agent, version: "current", tags }, { prefer: "wait=20" })).body[
      "id"
    ];
  await start(failing, ["us"]);
  await start(agent_id, []);
  const heard = await start(agent_id, ["us", "eu"]);
  await waitFor(() => target.got.filter(({ body }) => body["run_id"] === heard).length === 2, waitMs);
  expect(typesOf(target.got)).toEqual(["notification.run.error", "run.queued", "run.success"]);
});

test("what was missed is sent again, all of a time and a status at once, or pulled from its list", async () => {
  const target = await receiver();
  const { id } = await hook(target.url, ["run.success"]);
  const since = new Date(Date.now() - 60_000).toISOString();
  const again = (body: Record<string, unknown>) => call(url, "POST", `/v1/webhooks/${id}/redeliver`, body);
  await run(ok);
  await run(ok);
  await waitFor(async () => (await deliveries(id, "?status=delivered")).length === 2, waitMs);
  // As after ten tries.
  await stack.sql.query("UPDATE outbox SET status = 'exhausted' WHERE webhook_id = $1", [id]);
  expect((await again({ since, status: "delivered" })).body).toMatchObject({ redelivered: 0, last_id: null });
  expect((await again({ since: new Date(Date.now() + 60_000).toISOString() })).body).toMatchObject({ redelivered: 0 });
  const sent = await again({ since });
  expect(sent).toMatchObject({ status: 202, body: { object: "redelivery", redelivered: 2, has_more: false } });
  await waitFor(async () => (await deliveries(id, "?status=delivered")).length === 2, waitMs);
  expect(target.got.length).toBe(4);
  const ids = (await deliveries(id, "?order=asc")).map((delivery) => delivery.id);
  expect(ids.at(-1)).toBe(sent.body["last_id"]);
  expect((await deliveries(id, `?order=asc&after=${ids[0]}`)).map((delivery) => delivery.id)).toEqual(ids.slice(1));
  expect((await again({ since, status: "delivered", after: ids[0] })).body).toMatchObject({ redelivered: 1 });
  for (const odd of [{}, { since, delivery_id: ids[0] }]) expect((await again(odd)).status).toBe(422);
});
