import { afterAll, beforeEach, expect, test } from "vitest";
import { type Db, openDb } from "../../../../shared/store/client.ts";
import { recordTry, type TryOutcome } from "../../../../shared/store/outbox/record-try.ts";
import { patchWebhook } from "../../../../shared/store/webhooks/change-webhook.ts";
import { useTestStack } from "../../../harness/test-stack.ts";
import { waitForLocks } from "../../../harness/wait-for-locks.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 4, () => undefined);
afterAll(() => db.close());
beforeEach(async () => {
  await stack.sql.query("DELETE FROM users");
  await stack.sql.query("INSERT INTO users (id) VALUES ('u')");
  await db.prisma.webhook.create({ data: { id: "w", user_id: "u", url: "https://example.com/" } });
});

const day = 24 * 3_600_000;
const patience = 5 * day;
let made = 0;

/** A message to the webhook, made so many days ago. */
async function makeMessage(madeForDays = 0) {
  const message = { id: `msg_${++made}`, webhook_id: "w", url: "https://example.com/" };
  const created_at = new Date(Date.now() - madeForDays * day);
  await db.prisma.outboxMessage.create({ data: { ...message, user_id: "u", type: "t", payload: {}, created_at } });
  return { ...message, tries: 0 };
}
type Message = Awaited<ReturnType<typeof makeMessage>>;
function record(through: Db, message: Message, verdict: TryOutcome) {
  const error = verdict.status === "delivered" ? null : "http_500";
  return recordTry(through, message, { status_code: 500, error, duration_ms: 7, verdict }, patience);
}
async function tryOnce(verdict: TryOutcome, madeForDays = 0) {
  const message = await makeMessage(madeForDays);
  return { id: message.id, outcome: await record(db, message, verdict) };
}
/** So many days pass for the webhook. */
const passDays = (days: number) =>
  stack.sql.query("UPDATE webhooks SET failing_since = failing_since - $1 * interval '1 day'", [days]);
const webhook = () => db.prisma.webhook.findUniqueOrThrow({ where: { id: "w" } });
const message = (id: string) => db.prisma.outboxMessage.findUniqueOrThrow({ where: { id }, include: { log: true } });
const notifications = () => db.prisma.notification.findMany({ where: { user_id: "u" } });
const exhausted = { status: "exhausted" } as const;
const delivered = { status: "delivered" } as const;

test("a try is logged with its code, class and time; what was seen before another try isn't recorded", async () => {
  const { id, outcome } = await tryOnce({ status: "pending", delay_ms: 60_000 });
  expect(outcome).toBe("recorded");
  const tried = { status_code: 204, error: null, duration_ms: 3, verdict: delivered };
  const seen = { id, tries: 0, webhook_id: "w", url: "https://example.com/" };
  expect(await recordTry(db, seen, tried, patience)).toBe("stale");
  const log = [{ outbox_id: id, try: 1, status_code: 500, error: "http_500", duration_ms: 7, at: expect.any(Date) }];
  expect(await message(id)).toMatchObject({ status: "pending", tries: 1, last_error: "http_500", log });
  expect((await message(id)).next_attempt_at.getTime()).toBeGreaterThan(Date.now() + 50_000);
});

test("failures for less than five days leave a webhook active; for more they disable it and tell its owner once", async () => {
  await tryOnce({ status: "pending", delay_ms: 1_000 });
  await passDays(2);
  await tryOnce(exhausted);
  await passDays(2.9);
  await tryOnce(exhausted);
  expect(await webhook()).toMatchObject({ status: "active", failures: 2 });
  expect(await notifications()).toEqual([]);
  const { id: waiting } = await tryOnce({ status: "pending", delay_ms: 1_000 });
  await passDays(0.2);
  const { outcome } = await tryOnce(exhausted);
  expect(outcome).toEqual({ told: "u" });
  expect(await webhook()).toMatchObject({
    status: "disabled",
    failures: 3,
    disabled_reason: expect.stringMatching(/^nothing got through to it since \d{4}-/),
  });
  expect(await notifications()).toMatchObject([{ type: "webhook.disabled", level: "warning" }]);
  expect(await message(waiting)).toMatchObject({ status: "exhausted", last_error: "webhook_disabled" });
  expect((await tryOnce(exhausted, 9)).outcome).toBe("recorded");
  expect(await notifications()).toHaveLength(1);
});

test("one delivery in between forgives a webhook what it missed before", async () => {
  await tryOnce(exhausted);
  await passDays(4.9);
  await tryOnce(delivered);
  expect(await webhook()).toMatchObject({ status: "active", failures: 0, failing_since: null });
  await passDays(1);
  await tryOnce(exhausted);
  expect(await webhook()).toMatchObject({ status: "active", failures: 1 });
});

test("an old delivery that is sent again to a webhook that works, and given up, leaves it active", async () => {
  await tryOnce(delivered);
  const { id: waiting } = await tryOnce({ status: "pending", delay_ms: 1_000 });
  expect((await tryOnce(exhausted, 20)).outcome).toBe("recorded");
  expect(await webhook()).toMatchObject({ status: "active", failures: 1 });
  expect(await message(waiting)).toMatchObject({ status: "pending" });
});

test("410 disables a webhook at once", async () => {
  await tryOnce({ status: "gone" });
  expect(await webhook()).toMatchObject({ status: "disabled", disabled_reason: "its receiver answered 410 Gone" });
});

test("what a webhook's former URL answers leaves the webhook active, and the message is tried at the new one", async () => {
  const [gone, last] = [await makeMessage(), await makeMessage()];
  const url = "https://new.example.com/";
  await db.prisma.webhook.update({ where: { id: "w" }, data: { url, failing_since: new Date(Date.now() - 6 * day) } });
  expect(await record(db, gone, { status: "gone" })).toBe("recorded");
  expect(await record(db, last, exhausted)).toBe("recorded");
  expect(await webhook()).toMatchObject({ status: "active", failures: 0 });
  for (const { id } of [gone, last]) {
    const waiting = await message(id);
    expect(waiting).toMatchObject({ status: "pending", tries: 1, last_error: "http_500" });
    expect(waiting.next_attempt_at.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
  }
  expect(await record(db, { ...gone, url, tries: 1 }, { status: "gone" })).toEqual({ told: "u" });
});

test("a webhook gets another URL with a clean record", async () => {
  await tryOnce(exhausted);
  await passDays(6);
  const change = { owner: null, check: () => undefined };
  await patchWebhook(db, "w", { ...change, patch: { url: "https://example.com/" } });
  expect(await webhook()).toMatchObject({ failures: 1, failing_since: expect.any(Date) });
  await patchWebhook(db, "w", { ...change, patch: { url: "https://new.example.com/" } });
  expect(await webhook()).toMatchObject({ failures: 0, failing_since: null });
});

test("a failure that is recorded beside a delivery counts from the delivery on, and disables nothing", async () => {
  const [arrives, fails] = [await makeMessage(), await makeMessage()];
  await tryOnce(exhausted);
  await passDays(6);
  const client = await stack.sql.connect();
  await client.query("BEGIN");
  await record({ ...db, sql: client as unknown as Db["sql"] }, arrives, delivered);
  const failed = record(db, fails, exhausted);
  await waitForLocks(stack.sql, 1);
  await client.query("COMMIT");
  client.release();
  expect(await failed).toBe("recorded");
  const { failing_since, ...hook } = await webhook();
  expect(hook).toMatchObject({ status: "active", failures: 1 });
  expect(failing_since?.getTime()).toBeGreaterThan(Date.now() - day);
});

test("a message to a webhook that was enabled again at once is not given up with those before", async () => {
  const gone = await makeMessage();
  const [holds, enables] = [await stack.sql.connect(), await stack.sql.connect()];
  await holds.query("BEGIN");
  await holds.query("SELECT 1 FROM webhooks FOR UPDATE");
  const recorded = record(db, gone, { status: "gone" });
  await waitForLocks(stack.sql, 1);
  // Comes between the statement that disables and the one that gives up.
  await enables.query("BEGIN");
  const comesBetween = enables.query("LOCK TABLE outbox IN EXCLUSIVE MODE");
  await waitForLocks(stack.sql, 2);
  await holds.query("COMMIT");
  await comesBetween;
  const { rows } = await enables.query("UPDATE webhooks SET status = 'active' WHERE status = 'disabled' RETURNING id");
  expect(rows).toEqual([{ id: "w" }]);
  await enables.query(
    "INSERT INTO outbox (id, user_id, webhook_id, type, payload, url) VALUES ('next', 'u', 'w', 't', '{}', 'https://example.com/')",
  );
  await enables.query("COMMIT");
  for (const client of [holds, enables]) client.release();
  expect(await recorded).toEqual({ told: "u" });
  expect(await message("next")).toMatchObject({ status: "pending", last_error: null });
});
