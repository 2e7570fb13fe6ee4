import { createServer } from "node:http";
import { afterAll, expect, test } from "vitest";
import { call } from "../../harness/client.ts";
import { makeKey } from "../../harness/make-key.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

/** Stands in for the provider's API: says what it was asked, and answers as that does. */
type Asked = { method: string; path: string; form: Record<string, string>; key: string | undefined };
let asked: Asked[] = [];

const answers: [pattern: RegExp, answer: (asked: Asked) => [number, object]][] = [
  [/^POST \/v1\/customers$/, ({ form }) => [200, { id: `cus_${form["metadata[user_id]"]}`, object: "customer" }]],
  [/^POST \/v1\/checkout\/sessions$/, () => [200, { id: "cs_1", url: "https://pay.example/cs_1" }]],
  [/^POST \/v1\/billing_portal\/sessions$/, () => [200, { id: "bps_1", url: "https://pay.example/bps_1" }]],
  [
    /^(POST|DELETE) \/v1\/subscriptions\/sub_gone/,
    () => [404, { error: { type: "invalid_request_error", message: "No such" } }],
  ],
  [/^(POST|DELETE) \/v1\/subscriptions\//, ({ path }) => [200, { id: path.split("/")[3], object: "subscription" }]],
];

const provider = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => {
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    const key = req.headers["idempotency-key"];
    const request = {
      method: req.method ?? "",
      path: req.url ?? "",
      form,
      key: key === undefined ? key : String(key),
    };
    asked.push(request);
    const found = answers.find(([pattern]) => pattern.test(`${request.method} ${request.path}`));
    const authorized = req.headers.authorization === "Bearer sk_test_1";
    const [status, body] = authorized && found ? found[1](request) : [401, { error: { type: "authentication_error" } }];
    res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
});
await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
const address = provider.address();
const port = typeof address === "object" && address ? address.port : 0;
const stack = await useTestStack();
const env = { STRIPE_SECRET_KEY: "sk_test_1", STRIPE_API_URL: `http://127.0.0.1:${port}` };
const [{ url }, { url: without }] = await Promise.all([stack.openApi(env), stack.start("api")]);
afterAll(() => {
  provider.closeAllConnections();
  provider.close();
});

const success_url = "https://shop.example/thanks";

test("a checkout tops the wallet of its user up, and he is one customer however often he comes", async () => {
  asked = [];
  const body = { user_id: "ada", amount_usd_cents: 2_000, success_url, cancel_url: "https://shop.example/" };
  const first = await call(url, "POST", "/v1/billing/checkout", body);
  expect(first).toMatchObject({ status: 201, body: { id: "cs_1", url: "https://pay.example/cs_1" } });
  expect((await call(url, "POST", "/v1/billing/checkout", body)).status).toBe(201);
  expect(asked.map(({ path }) => path)).toEqual(["/v1/customers", "/v1/checkout/sessions", "/v1/checkout/sessions"]);
  expect(asked[0]).toMatchObject({ key: "runfleet-customer-ada" });
  expect(asked[1]?.form).toMatchObject({
    mode: "payment",
    customer: "cus_ada",
    client_reference_id: "ada",
    success_url,
    "line_items[0][price_data][unit_amount]": "2000",
    "payment_intent_data[metadata][user_id]": "ada",
  });
});

test("a checkout of a plan asks for its price; a plan without one, none and nothing are told", async () => {
  asked = [];
  await call(url, "PUT", "/v1/billing/plans/small", { name: "Small", provider_price_id: "price_1" });
  await call(url, "PUT", "/v1/billing/plans/free", { name: "Free" });
  const checkout = (plan_id?: string) =>
    call(url, "POST", "/v1/billing/checkout", { user_id: "bob", plan_id, success_url });
  expect((await checkout("small")).status).toBe(201);
  expect(asked.at(-1)?.form).toMatchObject({
    mode: "subscription",
    "line_items[0][price]": "price_1",
    "subscription_data[metadata][user_id]": "bob",
  });
  expect(await checkout("free")).toMatchObject({ status: 409, body: { code: "plan_not_for_sale" } });
  expect((await checkout("none")).status).toBe(404);
  expect((await checkout()).status).toBe(422);
});

test("the portal opens for a user; a subscription is cancelled and resumed at the provider", async () => {
  const portal = await call(url, "POST", "/v1/billing/portal", { user_id: "cy", return_url: success_url });
  expect(portal).toMatchObject({ status: 201, body: { url: "https://pay.example/bps_1" } });
  for (const id of ["sub_cy", "sub_gone"])
    await stack.sql.query(
      "INSERT INTO subscriptions (id, user_id, provider_subscription_id, status) VALUES ($1, 'cy', $1, 'active')",
      [id],
    );
  asked = [];
  const at = (id: string, act: string) => call(url, "POST", `/v1/billing/subscriptions/${id}/${act}`);
  expect((await at("sub_cy", "cancel")).status).toBe(202);
  expect((await at("sub_cy", "cancel?at_once=true")).status).toBe(202);
  expect((await at("sub_cy", "resume")).status).toBe(202);
  expect(asked.map(({ method, form }) => [method, form])).toEqual([
    ["POST", { cancel_at_period_end: "true" }],
    ["DELETE", {}],
    ["POST", { cancel_at_period_end: "false" }],
  ]);
  expect(await at("sub_gone", "cancel")).toMatchObject({ status: 409, body: { code: "provider_refused" } });
  expect((await at("sub_none", "cancel")).status).toBe(404);
});

test("without a key, or with a provider that doesn't answer, it is a 503 that says so", async () => {
  const body = { user_id: "dan", amount_usd_cents: 2_000, success_url };
  expect(await call(without, "POST", "/v1/billing/checkout", body)).toMatchObject({
    status: 503,
    body: { code: "no_payment_provider" },
  });
  const portal = { user_id: "dan", return_url: success_url };
  expect((await call(without, "POST", "/v1/billing/portal", portal)).status).toBe(503);
  const wrongKey = (await stack.openApi({ STRIPE_SECRET_KEY: "sk_wrong", STRIPE_API_URL: "http://127.0.0.1:9" })).url;
  const answer = await call(wrongKey, "POST", "/v1/billing/checkout", body);
  expect(answer).toMatchObject({ status: 503, body: { code: "provider_unavailable" } });
  expect(answer.headers.get("retry-after")).toBe("5");
});

test("a key that the provider doesn't take is a refusal, not an outage, and the log says why", async () => {
  const api = await stack.start("api", { ...env, STRIPE_SECRET_KEY: "sk_revoked", LOG_LEVEL: "warn" });
  const answer = await call(api.url, "POST", "/v1/billing/checkout", {
    user_id: "gus",
    amount_usd_cents: 2_000,
    success_url,
  });
  expect(answer).toMatchObject({ status: 409, body: { code: "provider_refused" } });
  expect(JSON.stringify(answer.body)).toContain("log");
  await waitFor(() => api.logged().includes("StripeAuthenticationError") || null);
});

test("a plan that costs nothing is taken here, and ends here; the newest one counts", async () => {
  const take = (plan_id: string) => call(url, "POST", "/v1/billing/subscriptions", { user_id: "eve", plan_id });
  const planOf = async () => Object((await call(url, "GET", "/v1/billing/wallet?user_id=eve")).body["plan"]).id;
  const { body, status } = await take("free");
  expect([status, await planOf()]).toEqual([201, "free"]);
  await call(url, "PUT", "/v1/billing/plans/gift", { name: "Gift" });
  const gift = await take("gift");
  expect(await planOf()).toBe("gift");
  // Taken again it is the same one, so that one cancel ends it.
  for (const again of await Promise.all([take("gift"), take("gift"), take("gift")]))
    expect(again).toMatchObject({ status: 200, body: { id: gift.body["id"] } });
  const cancel = await call(url, "POST", `/v1/billing/subscriptions/${String(gift.body["id"])}/cancel`);
  expect(cancel).toMatchObject({ status: 200, body: { status: "canceled" } });
  expect(await planOf()).toBe("free");
  const path = `/v1/billing/subscriptions/${String(gift.body["id"])}`;
  expect(await call(url, "POST", `${path}/resume`)).toMatchObject({ status: 409 });
  expect((await call(url, "GET", `/v1/billing/subscriptions/${String(body["id"])}`)).body).toMatchObject({
    status: "active",
    provider_subscription_id: null,
  });
  expect((await take("nothing")).status).toBe(404);
});

test("a plan that the provider sells is bought: nobody but an admin gives it away, also where its price is left out", async () => {
  await call(url, "PUT", "/v1/billing/plans/sold", { name: "Sold", provider_price_id: "price_sold" });
  await call(url, "PUT", "/v1/billing/plans/dear", { name: "Dear", price_micro_usd: 1 });
  await call(url, "PUT", "/v1/billing/plans/gratis", { name: "Gratis" });
  const keyed = (await stack.openApi({ ...env, AUTH_MODE: "key" })).url;
  const take = async (plan_id: string, scope: string) => {
    const authorization = `Bearer ${await makeKey(stack, "flo", [scope])}`;
    return call(keyed, "POST", "/v1/billing/subscriptions", { plan_id }, { authorization });
  };
  for (const plan_id of ["sold", "dear"])
    expect(await take(plan_id, "*")).toMatchObject({ status: 402, body: { code: "payment_required" } });
  expect((await take("gratis", "*")).status).toBe(201);
  expect((await take("sold", "admin")).status).toBe(201);
});
