import { execFile, spawnSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { sign as signAsGithub } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { afterEach, expect, test } from "vitest";
import { call, makeAgent } from "../../harness/client.ts";
import { readDocument } from "../../docs/read-documents.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const { url, worker } = await stack.startMembers({ api: { PUBLIC_URL: "https://runs.example.com/base/" } });
const agent_id = await makeAgent(
  url,
  py`
    def main(i): return i
  `,
);
afterEach(() => stack.sql.query("DELETE FROM hooks"));

type Hook = { id: string; secret: string };
type Headers = Record<string, string>;
type Receipt = { status: number; body: Record<string, unknown> };

async function make(settings: Record<string, unknown>): Promise<Hook> {
  const made = await call(url, "POST", "/v1/hooks", { agent_id, ...settings });
  expect([made.status, made.status === 201 ? "" : made.body]).toEqual([201, ""]);
  return made.body as Hook;
}

async function deliver(hook: { id: string }, body: string | Buffer, headers: Headers = {}): Promise<Receipt> {
  const response = await fetch(`${url}/hooks/${hook.id}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: new Uint8Array(Buffer.from(body)),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return { status: response.status, body: isJson ? (JSON.parse(text) as Record<string, unknown>) : { text } };
}

const deliveriesOf = async ({ id }: { id: string }, query = "") =>
  (await call(url, "GET", `/v1/hooks/${id}/deliveries${query}`)).body["data"] as Record<string, unknown>[];
const countRuns = async (): Promise<number> =>
  Number((await stack.sql.query<{ count: string }>("SELECT count(*) FROM runs")).rows[0]?.count);
const runOf = async (id: unknown) =>
  waitFor(async () => {
    const { body } = await call(url, "GET", `/v1/runs/${String(id)}`);
    return body["completed_at"] === null ? null : body;
  }, 20_000);

const now = () => Math.floor(Date.now() / 1000);
const hmac = (secret: string | Buffer, text: string, encoding: "hex" | "base64" = "hex", algorithm = "sha256") =>
  createHmac(algorithm, secret).update(text).digest(encoding);

/** How each sender signs, by its own library where it has one. */
const senders: Record<string, (secret: string, body: string, at?: number) => Headers | Promise<Headers>> = {
  github: async (secret, body) => ({
    "x-hub-signature-256": await signAsGithub(secret, body),
    "x-github-event": "push",
    "x-github-delivery": hmac("id", body),
  }),
  stripe: (secret, payload, timestamp = now()) => ({
    "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }),
  }),
  standard: (secret, body, at = now()) => {
    const id = `msg_${hmac("id", body).slice(0, 24)}`;
    const signature = new Webhook(secret).sign(id, new Date(at * 1000), body);
    return { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": signature };
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: (secret, body, at = now()) => ({
    "x-slack-request-timestamp": String(at),
    "x-slack-signature": `v0=${hmac(secret, `v0:${at}:${body}`)}`,
  }),
  hmac: (secret, body) => ({ "x-sum": `sha512=${hmac(secret, body, "base64", "sha512")}` }),
};
const secrets: Record<string, string> = {
  github: "It's a Secret to Everybody",
  stripe: "whsec_test_0123456789abcdef",
  standard: `whsec_${Buffer.alloc(24, 7).toString("base64")}`,
  slack: "8f742231b10e8888abcd99yyyzzz85a5",
  hmac: "a secret with ünïcode",
};
const signature = { header: "X-Sum", algorithm: "sha512", encoding: "base64" };
const hookOf = (verify: string, more: Record<string, unknown> = {}) =>
  make({ verify, secret: secrets[verify], ...(verify === "hmac" && { signature }), ...more });
const signed = (verify: string, body: string, at?: number) => senders[verify]?.(secrets[verify] ?? "", body, at) ?? {};

/** A generator of numbers below `most` that begins at a seed: https://en.wikipedia.org/wiki/Lehmer_random_number_generator */
function numbers(seed: number): (most: number) => number {
  let state = seed;
  return (most) => (state = (state * 48_271) % 2_147_483_647) % most;
}

/** A signed request with one bit flipped, at each byte of its body and of each header that is signed. */
function flipBits(bytes: Buffer, headers: Headers): [Buffer, Headers][] {
  const next = numbers(23);
  const flipped = (text: Buffer, at: number, bits: number): Buffer => {
    const copy = Buffer.from(text);
    copy[at] = (copy[at] ?? 0) ^ (1 << next(bits));
    return copy;
  };
  const bodies = [...bytes.keys()].map((at): [Buffer, Headers] => [flipped(bytes, at, 8), headers]);
  const covered = Object.entries(headers).filter(([name]) => !name.startsWith("x-github-"));
  const others = covered.flatMap(([name, value]) =>
    [...Buffer.from(value).keys()].flatMap((at): [Buffer, Headers][] => {
      const text = flipped(Buffer.from(value), at, 7).toString();
      // Other characters are no header field: the client doesn't send them.
      return /^[\x21-\x7e]+$/.test(text) ? [[bytes, { ...headers, [name]: text }]] : [];
    }),
  );
  return [...bodies, ...others];
}

test.each(Object.keys(senders))(
  "%s: what its library signs starts one run, five times over; a flipped bit anywhere starts none",
  async (verify) => {
    const hook = await hookOf(verify, { map: { said: "{/body/text}", all: "{/body}" } });
    const body = JSON.stringify({ id: `evt_${verify}`, event_id: `Ev${verify}`, type: "x", text: "Ünï \u0000 \u202e" });
    const headers = await signed(verify, body);
    const before = await countRuns();
    // hmac names no deliveries, so each request is one of its own.
    const times = verify === "hmac" ? 1 : 5;
    const got = await Promise.all(Array.from({ length: times }, () => deliver(hook, body, headers)));
    const [first] = got.filter(({ body: receipt }) => receipt["duplicate"] === false);
    expect(got.every(({ status }) => status === 202 || status === 200)).toBe(true);
    expect(new Set(got.map(({ body: receipt }) => receipt["run_id"])).size).toBe(1);
    expect(await countRuns()).toBe(before + 1);
    const run = await runOf(first?.body["run_id"]);
    expect(run).toMatchObject({ status: "success", metadata: { hook_id: hook.id } });
    expect(run["result_content"]).toEqual({ said: "Ünï \u0000 \u202e", all: JSON.parse(body) });

    const flips = flipBits(Buffer.from(body), headers);
    expect(flips.length).toBeGreaterThan(body.length + 40);
    const answers = new Set<string>();
    while (flips.length > 0)
      for (const answer of await Promise.all(
        flips.splice(0, 25).map(([flipped, sent]) => deliver(hook, flipped, sent)),
      ))
        answers.add(`${answer.status} ${String(answer.body["code"])}`);
    expect([...answers]).toEqual(["400 invalid_signature"]);
    expect(await countRuns()).toBe(before + 1);
    expect(await deliveriesOf(hook)).toHaveLength(1);
    expect((await call(url, "GET", `/v1/hooks/${hook.id}`)).body["last_refusal"]).toMatchObject({
      code: "invalid_signature",
    });
  },
);

test("Slack's documented example has the documented signature", () => {
  const body =
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
  expect(signed("slack", body, 1_531_420_618)).toMatchObject({
    "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
  });
});

test.each(Object.keys(senders))("%s: other bytes that read as the same text are refused", async (verify) => {
  const hook = await hookOf(verify);
  const body = '{"a":"\ufffd"}';
  const headers = await signed(verify, body);
  const [mark, other] = [Buffer.from("\ufeff"), Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])];
  for (const bytes of [Buffer.concat([mark, Buffer.from(body)]), other, Buffer.from(`${body}\n`)])
    expect(await deliver(hook, bytes, headers)).toMatchObject({ status: 400, body: { code: "invalid_signature" } });
  expect((await deliver(hook, body, headers)).status).toBe(202);
});

test.each(["stripe", "slack", "standard"])("%s: a signature of six minutes ago or ahead is refused", async (verify) => {
  const hook = await hookOf(verify);
  for (const at of [now() - 360, now() + 360])
    expect(await deliver(hook, "{}", await signed(verify, "{}", at))).toMatchObject({
      status: 400,
      body: { code: "invalid_signature" },
    });
  expect((await deliver(hook, "{}", await signed(verify, "{}", now() - 240))).status).toBe(202);
});

test("a filter leaves deliveries out; dedupe and thread come from the delivery; a thread that is no id is told", async () => {
  const hook = await make({
    verify: "none",
    filter: { "/body/action": ["opened", "edited"], "/headers/x-kind": "issue", "/body/by/bot": { not: true } },
    map: {
      text: "#{/body/n}: {/body/title} {/body/missing}",
      n: "{/body/n}",
      left: "{/body/missing}",
      list: ["{/body/x}"],
    },
    dedupe: "{/body/n}-{/body/action}",
    thread: "issue-{/body/n}",
  });
  const kind = { "x-kind": "issue" };
  const opened = { action: "opened", n: 7, title: "Gate" };
  const made = await deliver(hook, JSON.stringify(opened), kind);
  expect(made).toMatchObject({ status: 202, body: { status: "accepted", duplicate: false } });
  const run = await runOf(made.body["run_id"]);
  expect(run).toMatchObject({ thread_id: "issue-7", input_payload: { text: "#7: Gate ", n: 7, list: [null] } });
  expect(run["input_payload"]).not.toHaveProperty("left");
  expect(await deliver(hook, JSON.stringify({ ...opened, title: "Other" }), kind)).toMatchObject({
    status: 200,
    body: { duplicate: true, run_id: made.body["run_id"] },
  });
  for (const [body, headers] of [
    [{ ...opened, n: 8, action: "closed" }, kind],
    [{ ...opened, n: 8, by: { bot: true } }, kind],
    [{ ...opened, n: 8 }, {}],
  ] as const)
    expect(await deliver(hook, JSON.stringify(body), headers)).toMatchObject({
      status: 200,
      body: { run_id: null },
    });
  const odd = await deliver(hook, JSON.stringify({ ...opened, n: "../../x y" }), kind);
  expect(odd.status).toBe(422);
  expect(JSON.stringify(odd.body)).toContain("which is no id");
  const listed = await deliveriesOf(hook);
  expect(listed.map(({ status }) => status)).toEqual(["failed", "filtered", "filtered", "accepted"]);
  expect(listed[3]).toMatchObject({ repeats: 1, run_id: made.body["run_id"], error: null });
  expect(listed[0]).toMatchObject({ error: { code: "validation_error" } });
});

test("Slack's challenge and GitHub's ping are answered and start nothing; a form's payload is its JSON", async () => {
  const before = await countRuns();
  const slack = await hookOf("slack");
  const challenge = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1aB" });
  expect(await deliver(slack, challenge)).toMatchObject({ status: 400 });
  expect(await deliver(slack, challenge, await signed("slack", challenge))).toEqual({
    status: 200,
    body: { text: "3eZbrw1aB" },
  });
  const github = await hookOf("github");
  const ping = JSON.stringify({ zen: "Keep it logically awesome.", hook_id: 1 });
  const headers = { ...(await signed("github", ping)), "x-github-event": "ping" };
  expect(await deliver(github, ping, headers)).toMatchObject({ status: 200, body: { status: "handshake" } });
  expect(await countRuns()).toBe(before);
  const form = `payload=${encodeURIComponent(JSON.stringify({ type: "block_actions", user: { id: "U1" } }))}`;
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const clicked = await deliver(slack, form, { ...(await signed("slack", form)), ...type });
  expect((await runOf(clicked.body["run_id"]))["input_payload"]).toEqual({ type: "block_actions", user: { id: "U1" } });
  const command = "command=%2Fask&text=hello+there";
  const asked = await deliver(slack, command, { ...(await signed("slack", command)), ...type });
  expect((await runOf(asked.body["run_id"]))["input_payload"]).toEqual({ command: "/ask", text: "hello there" });
  expect((await deliveriesOf(slack)).map(({ event }) => event)).toEqual(["/ask", "block_actions", "url_verification"]);
});

test("a rotated secret leaves the one before valid for the overlap, and a leaked one not at all", async () => {
  const hook = await make({ verify: "github" });
  expect(hook.secret).toMatch(/^[0-9a-f]{64}$/);
  const send = async (secret: string, text: string) =>
    (await deliver(hook, text, { "x-hub-signature-256": await signAsGithub(secret, text) })).status;
  expect(await send(hook.secret, "[1]")).toBe(202);
  const rotated = await call(url, "POST", `/v1/hooks/${hook.id}/rotate`, {});
  const second = String(rotated.body["secret"]);
  expect(rotated).toMatchObject({ status: 201, body: { has_secret: true } });
  expect([await send(hook.secret, "[2]"), await send(second, "[3]")]).toEqual([202, 202]);
  await stack.sql.query("UPDATE hooks SET previous_secret_until = now()");
  expect([await send(hook.secret, "[4]"), await send(second, "[5]")]).toEqual([400, 202]);
  const third = await call(url, "POST", `/v1/hooks/${hook.id}/rotate`, { secret: "of-my-own-choice", overlap_ms: 0 });
  expect(third.body).toMatchObject({ secret: null, previous_secret_until: null });
  expect([await send(second, "[6]"), await send("of-my-own-choice", "[7]")]).toEqual([400, 202]);
  const stored = await stack.sql.query("SELECT hooks::text AS row FROM hooks");
  expect(JSON.stringify(stored.rows)).not.toContain("of-my-own-choice");
});

test("a hook without its sender's secret refuses; a paused one does; a test shows what would come and starts nothing", async () => {
  const hook = await make({ verify: "stripe", map: { kind: "{/body/type}" } });
  expect(await deliver(hook, "{}")).toMatchObject({ status: 409, body: { code: "hook_without_secret" } });
  expect((await call(url, "POST", `/v1/hooks/${hook.id}/rotate`, {})).status).toBe(422);
  await call(url, "POST", `/v1/hooks/${hook.id}/rotate`, { secret: secrets["stripe"] });
  await call(url, "PATCH", `/v1/hooks/${hook.id}`, { status: "paused" });
  const body = JSON.stringify({ id: "evt_1", type: "invoice.paid" });
  const headers = await signed("stripe", body);
  expect(await deliver(hook, body, headers)).toMatchObject({ status: 409, body: { code: "hook_paused" } });
  await call(url, "PATCH", `/v1/hooks/${hook.id}`, { status: "active", filter: { "/body/type": "invoice.paid" } });
  const before = await countRuns();
  const tried = await call(url, "POST", `/v1/hooks/${hook.id}/test`, { body: JSON.parse(body) });
  expect(tried.body).toEqual({
    matched: true,
    event: "invoice.paid",
    dedupe_key: "evt_1",
    thread_id: null,
    input_payload: { kind: "invoice.paid" },
    signal: null,
    error: null,
  });
  expect([await countRuns(), (await deliveriesOf(hook)).length]).toEqual([before, 0]);
});

test("respond: result answers with what the agent returned, and with the receipt when there is no success", async () => {
  const failing = await makeAgent(url, "def main(i): raise ValueError('no')");
  const good = await make({ verify: "none", respond: "result", dedupe: "{/body/id}" });
  expect(await deliver(good, '{"id": 1, "x": "y"}')).toEqual({ status: 200, body: { id: 1, x: "y" } });
  const before = await countRuns();
  expect(await deliver(good, '{"id": 1, "x": "y"}')).toEqual({ status: 200, body: { id: 1, x: "y" } });
  expect(await countRuns()).toBe(before);
  const [first] = await deliveriesOf(good);
  expect((await call(url, "DELETE", `/v1/runs/${String(first?.["run_id"])}`)).status).toBe(204);
  expect(await deliver(good, '{"id": 1, "x": "y"}')).toMatchObject({ status: 409, body: { code: "run_id_taken" } });
  const bad = await make({ agent_id: failing, verify: "none", respond: "result" });
  expect(await deliver(bad, "{}")).toMatchObject({ status: 202, body: { status: "accepted" } });
});

test("a delivery that could start nothing is replayed once it can, alone and all of a time; its repeat tries, too", async () => {
  const id = await makeAgent(url, "def main(i): return i", {
    input_schema: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
  });
  const hook = await make({ agent_id: id, verify: "none", dedupe: "{/body/id}" });
  const since = new Date(Date.now() - 60_000).toISOString();
  for (const n of [1, 2, 3]) {
    const answer = await deliver(hook, JSON.stringify({ id: n, user: `u${n}` }));
    expect(answer.status).toBe(422);
  }
  const [third, second] = await deliveriesOf(hook, "?status=failed");
  expect(second).toMatchObject({ status: "failed", error: { code: "validation_error" } });
  await call(url, "PATCH", `/v1/hooks/${hook.id}`, { map: { name: "{/body/user}" } });
  const one = await call(url, "POST", `/v1/hooks/${hook.id}/replay`, { delivery_id: second?.["id"] });
  expect(one).toMatchObject({ status: 202, body: { data: [{ status: "accepted", error: null, replays: 1 }] } });
  // The sender tries again by itself.
  const repeat = await deliver(hook, JSON.stringify({ id: 3, user: "u3" }));
  expect(repeat).toMatchObject({ status: 202, body: { duplicate: true, delivery_id: third?.["id"] } });
  const rest = await call(url, "POST", `/v1/hooks/${hook.id}/replay`, { since });
  expect(rest.body).toMatchObject({ data: [{ status: "accepted" }], has_more: false });
  const runs = await Promise.all((await deliveriesOf(hook)).map(({ run_id }) => runOf(run_id)));
  expect(runs.map(({ result_content }) => result_content)).toEqual([{ name: "u3" }, { name: "u2" }, { name: "u1" }]);
  const again = await call(url, "POST", `/v1/hooks/${hook.id}/replay`, { delivery_id: second?.["id"] });
  const [was, is] = [one, again].map(({ body }) => (body["data"] as { run_id: string }[])[0]?.run_id);
  expect(is).not.toBe(was);
  for (const body of [{}, { delivery_id: "delivery_x", since }])
    expect((await call(url, "POST", `/v1/hooks/${hook.id}/replay`, body)).status).toBe(422);
  expect((await call(url, "POST", `/v1/hooks/${hook.id}/replay`, { delivery_id: "delivery_x" })).status).toBe(404);
});

test("a delivery that the filter left out starts its run when it is sent again after the filter was mended, once", async () => {
  const hook = await hookOf("github", { filter: { "/body/action": "close" } });
  const body = JSON.stringify({ action: "closed" });
  const headers = await signed("github", body);
  const before = await countRuns();
  const filtered = await deliver(hook, body, headers);
  expect(filtered).toMatchObject({ status: 200, body: { status: "filtered", run_id: null } });
  expect((await deliver(hook, body, headers)).body).toEqual({ ...filtered.body, duplicate: true });
  await call(url, "PATCH", `/v1/hooks/${hook.id}`, { filter: { "/body/action": "closed" } });
  const sent = await Promise.all([1, 2, 3].map(() => deliver(hook, body, headers)));
  const ids = new Set(sent.map((got) => got.body["run_id"]));
  expect([...ids]).toEqual([expect.stringMatching(/^run_/)]);
  // A repeat of what has its run is left out by no filter.
  await call(url, "PATCH", `/v1/hooks/${hook.id}`, { filter: { "/body/action": "none" } });
  expect(await deliver(hook, body, headers)).toMatchObject({
    status: 200,
    body: { duplicate: true, run_id: [...ids][0] },
  });
  expect(await countRuns()).toBe(before + 1);
  const [only, ...others] = await deliveriesOf(hook);
  expect([only, others]).toMatchObject([{ status: "accepted", run_id: [...ids][0], repeats: 5, error: null }, []]);
  const replayed = await call(url, "POST", `/v1/hooks/${hook.id}/replay`, { delivery_id: only?.["id"] });
  expect(replayed).toMatchObject({ status: 202, body: { data: [{ status: "accepted", replays: 1 }] } });
});

test("a process that dies between storing a delivery and its run: the sender's repeat makes the one run", async () => {
  const hook = await make({ verify: "none", dedupe: "{/body/id}" });
  const [before, first] = [await countRuns(), await deliver(hook, '{"id":"a"}')];
  // As it stands when only the first half was done, and when only its last word is missing.
  await stack.sql.query("UPDATE hook_deliveries SET status = 'pending'");
  expect((await deliver(hook, '{"id":"a","changed":true}')).body["run_id"]).toBe(first.body["run_id"]);
  await runOf(first.body["run_id"]);
  await stack.sql.query("UPDATE hook_deliveries SET status = 'pending', run_id = 'run_chosen'");
  expect(await deliver(hook, '{"id":"a"}')).toMatchObject({ status: 202, body: { run_id: "run_chosen" } });
  expect(await deliver(hook, '{"id":"a"}')).toMatchObject({ status: 200, body: { run_id: "run_chosen" } });
  expect(await countRuns()).toBe(before + 2);
});

test("ten kinds of bad requests get a clear 4xx and start nothing", async () => {
  const hook = await make({ verify: "none", map: { a: "{/body/a}" } });
  const before = await countRuns();
  const type = (value: string) => ({ "content-type": value });
  const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
  const form = type("application/x-www-form-urlencoded");
  const cases: [string, number, Promise<Receipt>][] = [
    ["no JSON", 422, deliver(hook, "{", {})],
    ["deep JSON", 422, deliver(hook, deep)],
    ["many values", 422, deliver(hook, `[${"0,".repeat(300_000)}0]`)],
    ["not UTF-8", 422, deliver(hook, Buffer.from([0x7b, 0xff, 0x7d]))],
    ["text that is not UTF-8", 422, deliver(hook, Buffer.from([0xc3, 0x28]), type("text/plain"))],
    ["a payload that is no JSON", 422, deliver(hook, "payload=%7B", form)],
    ["a form of many fields", 422, deliver(hook, "a=1&".repeat(50_000), form)],
    ["a large body", 413, deliver(hook, `"${"x".repeat(4 * 1024 * 1024)}"`)],
    ["a compressed body", 400, deliver(hook, "{}", { "content-encoding": "gzip" })],
    ["an unknown hook", 404, deliver({ id: `hook_${randomBytes(16).toString("hex")}` }, "{}")],
    [
      "an odd hook id",
      404,
      deliver({ id: "%00" }, "{}").then((got) => (got.status === 422 ? { ...got, status: 404 } : got)),
    ],
    ["another site's page", 403, deliver(hook, "{}", { origin: "https://evil.example" })],
  ];
  for (const [name, status, answer] of cases) expect([name, (await answer).status]).toEqual([name, status]);
  expect((await fetch(`${url}/hooks/${hook.id}`)).status).toBe(405);
  expect(await countRuns()).toBe(before);
});

test("hostile maps and bodies: no prototype is reached, nothing grows beyond an input", async () => {
  const hook = await make({
    verify: "none",
    map: { a: "{/body/__proto__}", b: "{/body/constructor/name}", c: "{/body/list/length}", d: "{/headers/toString}" },
  });
  const made = await deliver(hook, '{"list":[1],"__proto__":{"polluted":true}}');
  expect((await runOf(made.body["run_id"]))["input_payload"]).toEqual({ a: { polluted: true } });
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  const bomb = await make({
    verify: "none",
    map: { all: Array.from({ length: 99 }, () => "{/body}{/body/x}").slice(0, 49) },
  });
  const large = await deliver(bomb, JSON.stringify({ x: "y".repeat(1024 * 1024) }));
  expect(large.status).toBe(422);
  expect(JSON.stringify(large.body)).toContain("map");
  const bads: Record<string, unknown>[] = [
    { map: { a: "{/env/SECRET}" } },
    { map: { a: "{/body/~2}" } },
    { map: [] },
    { map: { a: Array.from({ length: 101 }, () => "{/body/x}") } },
    { map: { a: "x".repeat(20_000) } },
    { filter: { "body.action": "x" } },
    { filter: { "/body/action": { matches: "(a+)+$" } } },
    { filter: { "/body/action": [["x"]] } },
    { thread: "{/thread}" },
    { dedupe: "" },
    { verify: "hmac" },
    { verify: "hmac", signature: { header: "X Sum" } },
    { verify: "hmac", signature: { header: "X-Sum", algorithm: "md5" } },
    { verify: "github", signature: { header: "X-Sum" } },
    { verify: "none", secret: "12345678" },
    { verify: "standard", secret: "whsec_not base64" },
    { verify: "github", secret: "short" },
    { verify: "crc32" },
  ];
  for (const bad of bads)
    expect([bad, (await call(url, "POST", "/v1/hooks", { agent_id, verify: "none", ...bad })).status]).toEqual([
      bad,
      422,
    ]);
});

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test.skipIf(!hasCurl)("the page's commands do what it says", async () => {
  await call(url, "POST", "/v1/agents", {
    id: "hello-agent",
    user_id: "u",
    name: "a",
    config: { source: "def main(i): 1" },
  });
  const run = async (mark: string, HOOK = ""): Promise<Record<string, unknown>> => {
    const block = readDocument("docs/hooks.md").blocks.find(({ code }) => code.includes(mark));
    const code = (block?.code ?? "")
      .replaceAll("localhost:8080", url)
      .replaceAll("curl ", "curl -sS --fail-with-body ");
    const { stdout } = await promisify(execFile)("bash", ["-euc", code], { env: { ...stack.env, HOOK } });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const hook = await run("/v1/hooks -H");
  expect(await run("$HOOK/test", String(hook["id"]))).toMatchObject({
    matched: true,
    thread_id: "pr-99",
    input_payload: { name: "ada", text: "#7: Mend the gate" },
    error: null,
  });
  expect(await run("$HOOK/rotate", String(hook["id"]))).toMatchObject({ has_secret: true, secret: null });
});

test("the example: a shop's webhook starts a run, a person answers its question, and the refund is paid once", async () => {
  const read = (name: string) =>
    readFileSync(new URL(`../../../examples/refund-approval/${name}`, import.meta.url), "utf8");
  const config = { source: read("main.py") };
  await call(url, "POST", "/v1/agents", { id: "refund-approval", user_id: "shop", name: "Refunds", config });
  const made = await call(url, "POST", "/v1/hooks", JSON.parse(read("hook.json")));
  const hook = made.body as Hook;
  const send = async (id: string, type: string, data: Record<string, unknown>) => {
    const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data });
    const signature = new Webhook(hook.secret).sign(id, new Date(), body);
    return deliver(hook, body, {
      "webhook-id": id,
      "webhook-timestamp": String(now()),
      "webhook-signature": signature,
    });
  };
  expect(await send("msg_0", "order.created", {})).toMatchObject({ status: 200, body: { status: "filtered" } });
  const small = await send("msg_1", "refund.requested", { order: "7", amount: 20 });
  expect(await runOf(small.body["run_id"])).toMatchObject({
    thread_id: "order-7",
    result_content: { order: "7", paid_back: 20 },
  });
  const large = await send("msg_2", "refund.requested", { order: "8", amount: 120.5, reason: "<b>broken</b>" });
  const question = await waitFor(async () => {
    const { body } = await call(url, "GET", `/v1/runs/${String(large.body["run_id"])}`);
    return body["status"] === "interrupted" ? (body["interrupts"] as { answer_url: string }[])[0] : null;
  }, 20_000);
  const page = url + (question?.answer_url ?? "").replace("https://runs.example.com/base", "");
  expect(await (await fetch(page)).text()).toContain("The customer writes: &lt;b&gt;broken&lt;/b&gt;");
  const answer = new URLSearchParams({ "answer/approved": "0", "answer/amount": "100", name: "Ada" });
  expect((await fetch(page, { method: "POST", body: answer, redirect: "manual" })).status).toBe(303);
  expect(await runOf(large.body["run_id"])).toMatchObject({
    result_content: { order: "8", paid_back: 100 },
    attempt: 2,
  });
});

test("a hook's runs are its owner's; it goes with its agent; its address is told as people reach it", async () => {
  const other = await call(url, "POST", "/v1/agents", {
    user_id: "other",
    name: "b",
    config: { source: "def main(i): return 1" },
  });
  const hook = await make({ agent_id: other.body["id"], verify: "none" });
  expect(hook).toMatchObject({ user_id: "other", url: `https://runs.example.com/base/hooks/${hook.id}` });
  expect(hook.id).toMatch(/^hook_[0-9a-f]{32}$/);
  const made = await deliver(hook, "{}");
  expect(await runOf(made.body["run_id"])).toMatchObject({ user_id: "other", origin: "api" });
  await call(url, "POST", `/v1/agents/${String(other.body["id"])}/pause`);
  expect(await deliver(hook, "{}")).toMatchObject({ status: 409, body: { code: "agent_not_active" } });
  expect((await call(url, "DELETE", `/v1/agents/${String(other.body["id"])}`)).status).toBe(204);
  expect(await deliver(hook, "{}")).toMatchObject({ status: 404, body: { code: "hook_not_found" } });
  expect((await call(url, "POST", "/v1/hooks", { agent_id: "nobody", verify: "none" })).status).toBe(404);
  expect((await call(url, "POST", "/v1/hooks", { agent_id, version: "9.9", verify: "none" })).status).toBe(404);
  expect(worker.logged()).toBe("");
});

test("a delivery ends the wait of the run that it names: once, whenever it comes, and of no other owner's run", async () => {
  const waiting = await makeAgent(
    url,
    py`
      def main(input, context):
          return {"first": context.wait_for("paid"), "second": context.wait_for("paid", timeout=input["patience"])}
    `,
  );
  const begin = async (patience: number): Promise<string> => {
    const body = { agent_id: waiting, version: "current", input_payload: { patience } };
    return String((await call(url, "POST", "/v1/execute", body, { prefer: "respond-async" })).body["run_id"]);
  };
  const hook = await make({
    verify: "github",
    signal: { run_id: "{/body/order/run}", name: "paid" },
    map: { amount: "{/body/order/amount}" },
  });
  const send = async (order: object) => {
    const body = JSON.stringify({ order });
    return deliver(hook, body, await senders["github"]?.(hook.secret, body));
  };
  const run = await begin(600);
  const before = await countRuns();
  const [first, again] = [await send({ run, amount: 7 }), await send({ run, amount: 7 })];
  expect([first.status, first.body]).toMatchObject([202, { status: "accepted", run_id: run, duplicate: false }]);
  expect([again.status, again.body]).toMatchObject([200, { run_id: run, duplicate: true }]);
  expect((await send({ run, amount: 8 })).status).toBe(202);
  expect((await runOf(run))["result_content"]).toEqual({ first: { amount: 7 }, second: { amount: 8 } });
  expect((await send({ run, amount: 9 })).body).toMatchObject({ code: "run_ended" });

  expect(await send({ amount: 1 })).toMatchObject({ status: 422 });
  const ended = { code: "run_not_found" };
  await stack.sql.query("UPDATE runs SET user_id = 'somebody-else' WHERE id = $1", [run]);
  expect(await send({ run, amount: 10 })).toMatchObject({ status: 404, body: ended });
  expect(await send({ run: "run_none", amount: 1 })).toMatchObject({ status: 404, body: ended });
  expect((await deliveriesOf(hook, "?status=failed")).length).toBe(4);
  expect(await countRuns()).toBe(before);

  const body = { body: { order: { run, amount: 3 } } };
  const test = await call(url, "POST", `/v1/hooks/${hook.id}/test`, body);
  expect(test.body).toMatchObject({
    matched: true,
    input_payload: null,
    signal: { run_id: run, name: "paid", payload: { amount: 3 } },
    error: null,
  });
});
