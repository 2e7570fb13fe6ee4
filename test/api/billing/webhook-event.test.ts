import { Stripe } from "stripe";
import { expect, test } from "vitest";
import { call } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { rawRequest } from "../http/raw-request.ts";
import { monthOfEvents } from "./month-of-events.ts";

const [secret, older] = ["whsec_new", "whsec_old"];
const path = "/v1/billing/webhook-event";

const stack = await useTestStack();
const [{ url }, { url: unsigned }] = await Promise.all([
  stack.openApi({ STRIPE_WEBHOOK_SECRET: `${secret},${older}` }),
  stack.openApi(),
]);

type Signing = { by?: string; at?: number };

const sign = (payload: string, { by = secret, at = 0 }: Signing = {}): string =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret: by, timestamp: Math.floor(Date.now() / 1000) + at });

async function send(payload: string, header?: string, to = url) {
  const headers = {
    "content-type": "application/json",
    ...(header === undefined ? {} : { "stripe-signature": header }),
  };
  const response = await fetch(to + path, { method: "POST", body: payload, headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const sendSigned = (event: object) => send(JSON.stringify(event), sign(JSON.stringify(event)));
const refused = { status: 400, body: { code: "invalid_signature" } };

const topUp = (id: string, user_id: string, amount: number) => ({
  ...{ id: `evt_${id}`, object: "event", type: "payment_intent.succeeded", created: 1_780_000_000 },
  data: {
    object: {
      ...{ id: `pi_${id}`, object: "payment_intent", created: 1_780_000_000, currency: "usd", customer: null },
      ...{ amount, amount_received: amount, metadata: { user_id } },
    },
  },
});
const balanceOf = async (user_id: string) =>
  (await call(url, "GET", `/v1/billing/wallet?user_id=${user_id}`)).body["balance_micro_usd"];

test("a signed event is received, by either secret, once; a payment is in the wallet and in the books", async () => {
  const event = topUp("ada", "ada", 2_000);
  expect(await sendSigned(event)).toEqual({ status: 200, body: { received: true } });
  expect(await sendSigned(event)).toEqual({ status: 200, body: { received: true, duplicate: true } });
  const text = JSON.stringify(topUp("ada2", "ada", 500));
  expect(await send(text, sign(text, { by: older }))).toEqual({ status: 200, body: { received: true } });
  expect(await balanceOf("ada")).toBe(25_000_000);
  const { body } = await call(url, "GET", "/v1/billing/transactions?user_id=ada&order=asc");
  expect(body["data"]).toMatchObject([
    {
      type: "top_up",
      amount_micro_usd: 20_000_000,
      source: "payment",
      entries: [
        { account: "wallet", amount_micro_usd: 20_000_000 },
        { account: "provider", amount_micro_usd: -20_000_000 },
      ],
    },
    { amount_micro_usd: 5_000_000 },
  ]);
  const { body: news } = await call(url, "GET", "/v1/billing/payments?user_id=ada");
  expect(news["data"]).toMatchObject([{ wallet_micro_usd: 5_000_000 }, { id: "pi_ada", status: "succeeded" }]);
});

test("a signature that is missing, wrong, old, from the future, of other bytes or of an old scheme is refused", async () => {
  const text = JSON.stringify(topUp("eve", "eve", 2_000));
  const header = sign(text);
  const wrong = [undefined, "", "t=1,v1=00", "nonsense", sign(text, { by: "whsec_other" }), sign(text, { by: " " })];
  const late = [sign(text, { at: -301 }), sign(text, { at: 400 }), sign(text, { at: 86_400 })];
  for (const bad of [...wrong, ...late, header.replace("v1=", "v0="), "x".repeat(8_000)])
    expect(await send(text, bad)).toMatchObject(refused);
  expect(await send(text.replace("2000", "9000"), header)).toMatchObject(refused);
  expect(await send(`${text} `, header)).toMatchObject(refused);
  expect(await balanceOf("eve")).toBe(0);
  const { rows } = await stack.sql.query("SELECT 1 FROM billing_events WHERE event_id = 'evt_eve'");
  expect(rows).toEqual([]);
  expect((await send(text, sign(text, { at: -250 }))).status).toBe(200);
});

test("what is signed and no event is a 400; a type that is not ours and an odd object are kept, and answered 200", async () => {
  for (const text of ["", "[]", "null", "{", '"text"', "{}", '{"id":"evt_x","type":"t"}'])
    expect(await send(text, sign(text))).toMatchObject({ status: 400, body: { code: "invalid_event" } });
  const unknown = { id: "evt_unknown", type: "customer.tax_id.created", created: 1, data: { object: { a: "\u0000" } } };
  expect(await sendSigned(unknown)).toEqual({ status: 200, body: { received: true } });
  const odd = { ...topUp("odd", "odd", 1), data: { object: { id: 7 } } };
  expect(await sendSigned(odd)).toEqual({ status: 200, body: { received: true } });
  const { rows } = await stack.sql.query(
    "SELECT event_id, error IS NOT NULL AS faulty FROM billing_events WHERE event_id IN ('evt_unknown', 'evt_odd') ORDER BY 1",
  );
  expect(rows).toEqual([
    { event_id: "evt_odd", faulty: true },
    { event_id: "evt_unknown", faulty: false },
  ]);
  const long = JSON.stringify({ ...unknown, pad: "x".repeat(300_000) });
  expect((await send(long, sign(long))).status).toBe(413);
});

test("a signed event that can't be read is kept aside, told to the admins, listed, and applied once it can be read", async () => {
  const { data, ...head } = topUp("aside", "ivy", 2_000);
  const { created: _, ...object } = data.object;
  const odd = { ...head, data: { object } };
  expect(await sendSigned(odd)).toEqual({ status: 200, body: { received: true } });
  const headless = { id: "evt_headless", type: "invoice.paid", data: { thing: {} } };
  expect(await sendSigned(headless)).toEqual({ status: 200, body: { received: true } });
  const unread = async () =>
    (await call(url, "GET", "/v1/billing/events?status=unreadable&order=asc")).body["data"] as { id: string }[];
  const aside = (await unread()).filter(({ id }) => id === "evt_aside" || id === "evt_headless");
  expect(aside).toMatchObject([
    { id: "evt_aside", type: "payment_intent.succeeded", error: expect.stringContaining("created"), applied_at: null },
    { id: "evt_headless", type: "invoice.paid", error: expect.stringContaining("data.object") },
  ]);
  const told = await call(url, "GET", "/v1/notifications?user_id=admin&type=billing.event_unreadable");
  expect((told.body["data"] as { data: { event_id: string } }[]).map(({ data: { event_id } }) => event_id)).toEqual(
    expect.arrayContaining(["evt_aside", "evt_headless"]),
  );
  const reapply = (id: string) => call(url, "POST", `/v1/billing/events/${id}/reapply`);
  expect(await reapply("evt_aside")).toMatchObject({ status: 409, body: { code: "event_unreadable" } });
  expect(await reapply("evt_nothing")).toMatchObject({ status: 404, body: { code: "billing_event_not_found" } });
  // As if a later release read what an earlier one could not.
  await stack.sql.query("UPDATE billing_events SET payload = $1 WHERE event_id = 'evt_aside'", [
    JSON.stringify(topUp("aside", "ivy", 2_000)),
  ]);
  for (let times = 0; times < 2; times++) {
    const { status, body } = await reapply("evt_aside");
    expect([status, body]).toMatchObject([
      200,
      { status: "applied", object_id: "pi_aside", user_id: "ivy", error: null },
    ]);
    expect(await balanceOf("ivy")).toBe(20_000_000);
  }
  expect((await unread()).map(({ id }) => id)).not.toContain("evt_aside");
  const acts = (await call(url, "GET", "/v1/admin/audit?action=reapply_billing_event")).body["data"];
  expect(acts).toMatchObject([{ target_id: "evt_aside", detail: { status: "applied" } }, { target_id: "evt_aside" }]);
});

test("without a secret nothing is kept, whoever sends whatever, and the signed event counts later", async () => {
  const event = topUp("bob", "bob", 2_000);
  const before = await countEvents();
  for (const text of [JSON.stringify(event), "{}", "", '{"any":"thing"}', "[", "x".repeat(200_000)])
    for (const header of [undefined, sign(text), sign(text, { by: "" })])
      expect(await send(text, header, unsigned)).toMatchObject({ status: 503, body: { code: "no_webhook_secret" } });
  expect(await countEvents()).toBe(before);
  expect(await sendSigned(event)).toEqual({ status: 200, body: { received: true } });
  expect(await balanceOf("bob")).toBe(20_000_000);
});

test("an event is refused by its size before it is read, and by its signature before it is kept", async () => {
  const before = await countEvents();
  for (const to of [url, unsigned]) {
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\n`;
    expect((await rawRequest(Number(new URL(to).port), [head])).status).toBe(413);
  }
  expect((await send(JSON.stringify(topUp("mal", "mal", 1)), "t=1,v1=00")).status).toBe(400);
  expect(await countEvents()).toBe(before);
});

const countEvents = async (): Promise<number> =>
  (await stack.sql.query("SELECT count(*)::int AS count FROM billing_events")).rows[0].count;

test("a subscription's events give its user the plan, its invoices and what he is told", async () => {
  const plan = { name: "Big", price_micro_usd: 90_000_000, provider_price_id: "price_big", weekly_runs: 10 };
  expect((await call(url, "PUT", "/v1/billing/plans/big", plan)).status).toBe(200);
  const answers = await Promise.all(monthOfEvents("cy").map(sendSigned));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await call(url, "GET", "/v1/billing/wallet?user_id=cy")).body).toMatchObject({
    balance_micro_usd: 65_000_000,
    plan: { id: "big", weekly_runs: 10 },
  });
  const list = async (of: string) => (await call(url, "GET", `/v1/billing/${of}?user_id=cy`)).body["data"];
  expect(await list("subscriptions")).toMatchObject([{ id: "sub_cy", status: "active", plan_id: "big" }]);
  expect(await list("invoices")).toMatchObject([
    { id: "in_2_cy", status: "open" },
    { status: "paid", amount_paid: 2_000 },
  ]);
  expect(await call(url, "DELETE", "/v1/users/cy")).toMatchObject({
    status: 409,
    body: { code: "user_has_subscription" },
  });
  const { rows } = await stack.sql.query("SELECT DISTINCT type FROM notifications WHERE user_id = 'cy' ORDER BY 1");
  expect(rows.map(({ type }) => type)).toEqual([
    "billing.disputed",
    "billing.paused",
    "billing.payment_failed",
    "billing.payment_succeeded",
    "billing.refunded",
    "billing.trial_ends",
  ]);
});

test("what an event has told is not told again with the object's next event, though the notification is deleted", async () => {
  const told = async () => {
    const { rows } = await stack.sql.query("DELETE FROM notifications WHERE user_id = 'gil' RETURNING type");
    return rows.map(({ type }) => type).toSorted();
  };
  const events = monthOfEvents("gil");
  for (const event of events) await sendSigned(event);
  expect(await told()).toContain("billing.trial_ends");
  const updated = events.find(({ type }) => type === "customer.subscription.updated");
  for (const id of ["evt_next_1", "evt_next_2"]) {
    expect((await sendSigned({ ...updated, id })).body).toEqual({ received: true });
    expect(await told()).toEqual([]);
  }
});

test("a dispute takes its money while it lasts, an inquiry takes none, and what is won is back", async () => {
  const dispute = (n: number, type: string, status: string) => ({
    ...{ id: `evt_dispute_${n}`, object: "event", type: `charge.dispute.${type}`, created: 1_780_000_000 + n },
    data: {
      object: {
        ...{ id: "dp_fay", object: "dispute", created: 1_780_000_001, amount: 500, currency: "usd", status },
        ...{ charge: "ch_fay", payment_intent: "pi_fay" },
      },
    },
  });
  await sendSigned(topUp("fay", "fay", 2_000));
  const balances: unknown[] = [];
  for (const event of [
    dispute(1, "created", "warning_needs_response"),
    dispute(2, "updated", "needs_response"),
    dispute(3, "closed", "won"),
    // A repeat that comes late.
    dispute(2, "updated", "needs_response"),
  ]) {
    await sendSigned(event);
    balances.push(await balanceOf("fay"));
  }
  expect(balances).toEqual([20_000_000, 15_000_000, 20_000_000, 20_000_000]);
});

test("hundreds of events at once are all received, and other requests are answered meanwhile", async () => {
  const count = 200;
  const events = Array.from({ length: count }, (_, i) => topUp(`many-${i}`, "dora", 100));
  const sent = Promise.all(events.map(sendSigned));
  expect((await call(url, "GET", "/v1/billing/wallet?user_id=nobody")).status).toBe(200);
  const answers = await sent;
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  expect(await balanceOf("dora")).toBe(count * 1_000_000);
}, 120_000);
