import { afterAll, beforeEach, expect, test } from "vitest";
import { openDb } from "../../../../shared/store/client.ts";
import { recordTry, type TryOutcome } from "../../../../shared/store/outbox/record-try.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

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

/** A message to the webhook, made so many days ago, tried once. */
async function tryOnce(verdict: TryOutcome, madeForDays = 0) {
  const id = `msg_${++made}`;
  const webhook_id = "w";
  const created_at = new Date(Date.now() - madeForDays * day);
  const data = { id, user_id: "u", webhook_id, type: "t", payload: {}, url: "https://example.com/", created_at };
  await db.prisma.outboxMessage.create({ data });
  const error = verdict.status === "delivered" ? null : "http_500";
  const tried = { status_code: 500, error, duration_ms: 7, verdict };
  return { id, outcome: await recordTry(db, { id, tries: 0, webhook_id }, tried, patience) };
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
  expect(await recordTry(db, { id, tries: 0, webhook_id: "w" }, tried, patience)).toBe("stale");
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
