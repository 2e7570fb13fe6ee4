import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Operation } from "../../api/http/define-operation.ts";
import { operations } from "../../api/operations.ts";
import { withDocs } from "../../api/system/with-docs.ts";
import { scopes } from "../../shared/schemas/scope.ts";
import { newCredential } from "../../shared/platform/secrets/credential.ts";
import { call, execute } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { authorizationCases as cases, type World } from "./authorization-cases.ts";

const admin = randomBytes(32).toString("hex");
const stack = await useTestStack();
const { url } = await stack.startService({
  api: { AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: admin, RATE_LIMIT_PER_MINUTE: "0" },
});
/** Two owners whose things no test changes: it is tested that it can't. */
const [owner, stranger] = [await makeWorld(), await makeWorld()];

async function makeKey(user_id: string, granted: readonly string[] = ["*"]): Promise<{ id: string; text: string }> {
  const { id, text, secret_hash } = newCredential("key");
  await stack.sql.query("INSERT INTO users (id) VALUES ($1) ON CONFLICT DO NOTHING", [user_id]);
  await stack.sql.query("INSERT INTO api_keys (id, user_id, secret_hash, scopes) VALUES ($1, $2, $3, $4)", [
    id,
    user_id,
    secret_hash,
    granted,
  ]);
  return { id, text };
}

type Needs = (...things: (keyof World)[]) => boolean;

/** An owner with a key, and with those things that are needed. */
async function makeWorld(needs: Needs = () => true): Promise<{ world: World; key: string }> {
  const user_id = `u${randomBytes(6).toString("hex")}`;
  const [{ text: key }, { id: key_id }] = [await makeKey(user_id), await makeKey(user_id)];
  const headers = { authorization: `Bearer ${key}` };
  const make = async (thing: keyof World, path: string, body?: object): Promise<string> =>
    needs(thing) ? String((await call(url, "POST", path, body, headers)).body["id"]) : "";
  const worker_id = `worker${randomBytes(6).toString("hex")}`;
  const plan_id = "free";
  const world: World = {
    user_id,
    agent_id: "",
    version: "2.0.0",
    tag: "beta",
    name: "TOKEN",
    run_id: "",
    artifact_id: "",
    key_id,
    bulk_id: "",
    thread_id: await make("thread_id", "/v1/threads", {}),
    job_id: "",
    notification_id: await make("notification_id", "/v1/notifications", { type: "t", title: "T" }),
    webhook_id: "",
    hook_id: "",
    connection_id: "openai",
    hook_delivery_id: "",
    delivery_id: "",
    worker_id,
    queue_id: "callbacks",
    plan_id,
    subscription_id: "",
    event_id: "evt_nothing",
    session_id: `session_${randomBytes(6).toString("hex")}`,
    fingerprint: "",
    token: "",
  };
  await stack.sql.query(
    `INSERT INTO sessions (id, user_id, secret_hash, principal_kind, principal_id, expires_at)
     VALUES ($1, $2, '', 'key', $3, now() + interval '1 day')`,
    [world.session_id, user_id, key_id],
  );
  if (
    needs(
      "agent_id",
      "version",
      "tag",
      "name",
      "run_id",
      "artifact_id",
      "bulk_id",
      "job_id",
      "hook_id",
      "hook_delivery_id",
    )
  ) {
    const config = {
      source: py`
        import runfleet
        def main(i): runfleet.artifact('a.txt', 'a')
      `,
    };
    const agent = await call(url, "POST", "/v1/agents", { user_id, name: "a", config }, headers);
    const agent_id = (world.agent_id = String(agent.body["id"]));
    await call(url, "POST", `/v1/versions/${agent_id}`, { version: "2.0.0", config }, headers);
    await call(url, "PUT", `/v1/versions/${agent_id}/tags/beta`, { version: "2.0.0" }, headers);
    await call(url, "PUT", `/v1/agents/${agent_id}/secrets/TOKEN`, { value: "value" }, headers);
    await call(url, "PUT", "/v1/secrets/TOKEN", { value: "value" }, headers);
    world.bulk_id = await make("bulk_id", "/v1/runs/bulk/cancel", { filter: { agent_id } });
    world.job_id = await make("job_id", "/v1/jobs", { agent_id, version: "current", schedule: "@yearly" });
    // It verifies nothing, so that each request is a delivery.
    world.hook_id = await make("hook_id", "/v1/hooks", { agent_id, verify: "none" });
    if (needs("hook_delivery_id")) {
      const delivered = await call(url, "POST", `/hooks/${world.hook_id}`, {});
      world.hook_delivery_id = String(delivered.body["delivery_id"]);
    }
    if (needs("run_id", "artifact_id")) {
      const request = { agent_id, version: "current", completion_callback_url: "http://127.0.0.1:9/" };
      const run = await execute(url, request, { ...headers, prefer: "wait=20" });
      ({ id: world.run_id } = (await run.json()) as { id: string });
      const artifacts = await call(url, "GET", `/v1/runs/${world.run_id}/artifacts`, undefined, headers);
      world.artifact_id = String((artifacts.body["data"] as { id: string }[])[0]?.id);
    }
  }
  if (needs("fingerprint")) {
    const agent = await call(
      url,
      "POST",
      "/v1/agents",
      { user_id, name: "f", config: { source: "def main(): 1" } },
      headers,
    );
    await stack.sql.query(
      `INSERT INTO runs (id, user_id, agent_id, version, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
         input_payload, history, files, request_hash, expires_at, completed_at)
       VALUES ($1, $2, $3, '1', 'expired', 1, 'python', 'standard', 'serverless', 1, '{}', '[]', '[]', '', now(), now())`,
      [`failed-${user_id}`, user_id, agent.body["id"]],
    );
    const errors = await call(url, "GET", `/v1/studio/errors?agent_id=${String(agent.body["id"])}`, undefined, headers);
    world.fingerprint = String((errors.body["data"] as { fingerprint: string }[])[0]?.fingerprint);
  }
  if (needs("webhook_id", "delivery_id")) {
    const settings = { url: "http://127.0.0.1:9/", events: ["run.error"] };
    const webhook = await call(url, "POST", "/v1/webhooks", settings, headers);
    world.webhook_id = String(webhook.body["id"]);
    world.delivery_id = await make("delivery_id", `/v1/webhooks/${world.webhook_id}/test`);
  }
  if (needs("connection_id"))
    await call(url, "PUT", "/v1/connections/openai", { preset: "openai", secret: "sk-12345678" }, headers);
  // Nobody's: the real one is needed.
  await stack.sql.query(
    "INSERT INTO workers (id, host, pid, software, slots, sandbox) VALUES ($1, 'h', 1, 's', 0, $2)",
    [worker_id, JSON.stringify({ level: 1, name: "none", layers: [] })],
  );
  await stack.sql.query(
    `INSERT INTO plans (id, name, price_micro_usd, interval) VALUES ($1, 'Free', 0, 'month') ON CONFLICT DO NOTHING`,
    [plan_id],
  );
  world.subscription_id = await make("subscription_id", "/v1/billing/subscriptions", { plan_id });
  return { world, key };
}

/** Tells which things an operation's path, query or body names. */
function needsOf({ name: operation, path }: Operation<never>): Needs {
  const named = new Set<string>(paramsOf(path));
  const noting = new Proxy({} as World, { get: (_, name) => (named.add(String(name)), "noted") });
  cases[operation]?.body?.(noting);
  cases[operation]?.query?.(noting);
  return (...things) => things.some((thing) => named.has(thing));
}

const paramsOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof World);

async function ask(
  operation: Operation<never>,
  world: World,
  key: string | null,
  gone: Partial<World> = {},
): Promise<{ status: number; text: string }> {
  const { body, query, params } = cases[operation.name] ?? {};
  const named = { ...world, ...params, ...gone };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: keyof World) => named[name]);
  const response = await fetch(`${url}${path}${query?.(world) ?? ""}`, {
    method: operation.method.toUpperCase(),
    headers: { "content-type": "application/json", ...(key !== null && { authorization: `Bearer ${key}` }) },
    ...(body && { body: JSON.stringify(body(world)) }),
  });
  // A stream of a thing that goes on has no end to wait for.
  const goesOn =
    response.ok &&
    ["stream_daemon", "stream_notifications", "stream_run_changes", "stream_thread"].includes(operation.name);
  if (goesOn) await response.body?.cancel();
  return { status: response.status, text: goesOn ? "" : await response.text() };
}

const all: readonly Operation<never>[] = withDocs(operations);
const guarded = all.filter(({ scope }) => scope !== "public").map((operation) => [operation.name, operation] as const);
/** A new key has no more scopes than the key that makes it, and a webhook no events that its key may not read. */
const moreScopes: Record<string, string[]> = { create_api_key: ["runs:read"], create_webhook: ["daemons:read"] };
const isPrivileged = ({ scope }: Operation<never>) => scope === "admin" || scope === "internal";

describe.each(guarded)("%s", (_name, operation) => {
  test("no key: 401", async () => {
    expect((await ask(operation, owner.world, null)).status).toBe(401);
  });

  test("a key of its owner without the scope: 403", async () => {
    const { world } = owner;
    const others = scopes.filter((scope) => scope !== operation.scope && scope !== "admin" && scope !== "*");
    const granted = isPrivileged(operation) ? ["*"] : others;
    expect((await ask(operation, world, (await makeKey(world.user_id, granted)).text)).status).toBe(403);
  });

  test("another owner's key: nothing of it is found, shown or changed", async () => {
    const { world } = owner;
    const answer = await ask(operation, world, stranger.key);
    const addressed = paramsOf(operation.path).length > 0 || cases[operation.name] !== undefined;
    const refused = cases[operation.name]?.foreign ?? (addressed ? 404 : 200);
    const expected = isPrivileged(operation) ? 403 : refused;
    expect(answer.status).toBe(expected);
    if (expected === 200)
      for (const id of [world.run_id, world.key_id, world.notification_id, world.webhook_id, world.hook_id])
        expect(answer.text).not.toContain(id);
    if (operation.name === "read_notifications") expect(answer.text).toBe('{"changed":0}');
    if (operation.name.startsWith("bulk_")) expect(answer.text).toContain('"total":0');
    if (expected === 202) expect(answer.text).toContain("agent_not_found");
  });

  test("what there isn't: 404", async () => {
    const { world, key } = owner;
    const params = paramsOf(operation.path);
    // What is called put makes the last thing that its path names; a signal may have any name.
    const needed = /^put_|^send_signal$/.test(operation.name) ? params.slice(0, -1) : params;
    const gone = new Set([needed[0], needed.at(-1)]);
    for (const name of gone) {
      if (!name) continue;
      const asker = isPrivileged(operation) ? admin : key;
      const answer = await ask(operation, world, asker, { [name]: "nothing-of-this-name" });
      expect([name, answer.status]).toEqual([name, 404]);
    }
  });

  test("its owner's key with just this scope: done", async () => {
    // What only reads needs no things of its own.
    const { world } = operation.method === "get" ? owner : await makeWorld(needsOf(operation));
    // A user with agents can't be deleted.
    if (operation.name === "delete_user")
      await stack.sql.query("DELETE FROM agents WHERE user_id = $1", [world.user_id]);
    const granted = [operation.scope, ...(moreScopes[operation.name] ?? [])];
    const key = isPrivileged(operation) ? admin : (await makeKey(world.user_id, granted)).text;
    const { status, text } = await ask(operation, world, key);
    const own = cases[operation.name]?.own;
    if (own === undefined) expect([status < 300, status < 300 ? "" : text]).toEqual([true, ""]);
    else expect(status).toBe(own);
  });
});

test.each(all.filter(({ scope }) => scope === "public").map((operation) => [operation.name, operation] as const))(
  "%s is public",
  async (_name, operation) => {
    const { status, text } = await ask(operation, owner.world, null);
    // It needs a signature instead of a key, and here nobody has set what signs.
    if (operation.name === "webhook_event") expect(JSON.parse(text)).toMatchObject({ code: "no_webhook_secret" });
    else expect(status).toBe(cases[operation.name]?.own ?? 200);
  },
);

test("every operation that takes a body is asked with one", () => {
  const bare = all.filter(
    ({ name, request }) => request.body && !request.body.safeParse(undefined).success && !cases[name],
  );
  expect(bare.map(({ name }) => name)).toEqual([]);
});
