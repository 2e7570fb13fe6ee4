import { afterAll, beforeEach, expect, test } from "vitest";
import { openDb } from "../../../../shared/store/client.ts";
import { type ClaimLimits, claimDueMessages } from "../../../../shared/store/outbox/claim-due-messages.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 6, () => undefined);
afterAll(() => db.close());
beforeEach(() => stack.sql.query("DELETE FROM outbox"));

/** Owes a host so many messages, due one second after the other, the last one a second ago. */
const owe = (host: string, count: number, webhook_id: string | null = null) =>
  stack.sql.query(
    `INSERT INTO outbox (id, user_id, type, url, payload, webhook_id, next_attempt_at)
     SELECT $1 || '-' || lpad(g::text, 6, '0'), 'u', 't', 'https://' || $1 || '/hook', '{}', $3, now() - ($2 + 1 - g) * interval '1 s'
     FROM generate_series(1, $2::int) g`,
    [host, count, webhook_id],
  );
const usual = {
  ...{ messages: 100, bytes: 1024 * 1024, per_host: 3, per_user: 1_000 },
  ...{ slow_hosts: [], lease_ms: 60_000 },
};
const claim = async (limits: Partial<ClaimLimits> = {}) => {
  return (await claimDueMessages(db, { ...usual, ...limits })).map(({ id }) => id).toSorted();
};

test("a host has as many messages under way as it may, the longest due first, whoever sends them", async () => {
  await owe("a.example", 5);
  await owe("B.example:8443", 2);
  expect(await claim()).toEqual([
    ...["B.example:8443-000001", "B.example:8443-000002"],
    ...["a.example-000001", "a.example-000002", "a.example-000003"],
  ]);
  expect(await claim()).toEqual([]);
  await stack.sql.query("UPDATE outbox SET status = 'delivered' WHERE id = 'a.example-000002'");
  expect(await claim()).toEqual(["a.example-000004"]);
});

test("a slow host has one at a time; the rest of the messages aren't delayed by it", async () => {
  await owe("slow.example", 5);
  await owe("well.example", 2);
  const slow = { slow_hosts: ["slow.example"] };
  expect(await claim(slow)).toEqual(["slow.example-000001", "well.example-000001", "well.example-000002"]);
  expect(await claim(slow)).toEqual([]);
});

test("a user has only his share of what is under way, however many hosts he owns", async () => {
  for (let i = 1; i <= 9; i++) await owe(`h${i}.example`, 2);
  await stack.sql.query("UPDATE outbox SET user_id = 'other' WHERE id LIKE 'h9%'");
  const limits = { per_user: 5 };
  const mine = (ids: string[]) => ids.filter((id) => !id.startsWith("h9"));
  const first = await claim(limits);
  expect([first.length, mine(first).length]).toEqual([7, 5]);
  expect(await claim(limits)).toEqual([]);
  await stack.sql.query("UPDATE outbox SET status = 'delivered' WHERE id = ANY($1)", [mine(first).slice(0, 2)]);
  expect(await claim(limits)).toHaveLength(2);
});

test("what isn't due isn't sent; what a dead worker leased is, when its lease is over", async () => {
  await owe("a.example", 1);
  await stack.sql.query("UPDATE outbox SET next_attempt_at = now() + interval '1 minute'");
  expect(await claim()).toEqual([]);
  await stack.sql.query("UPDATE outbox SET next_attempt_at = now()");
  expect(await claim()).toEqual(["a.example-000001"]);
  await stack.sql.query("UPDATE outbox SET lease_until = now()");
  expect(await claim()).toEqual(["a.example-000001"]);
});

test("what a paused webhook is owed waits and is in nobody's way", async () => {
  await stack.sql.query("INSERT INTO users (id) VALUES ('u')");
  const url = "https://shared.example/new";
  await db.prisma.webhook.create({ data: { id: "w", user_id: "u", url, status: "paused" } });
  await owe("shared.example", 5, "w");
  await stack.sql.query("UPDATE outbox SET id = 'paused-' || id");
  await owe("shared.example", 2);
  expect(await claim()).toEqual(["shared.example-000001", "shared.example-000002"]);
  await db.prisma.webhook.update({ where: { id: "w" }, data: { status: "active" } });
  const due = await claimDueMessages(db, { ...usual, messages: 1 });
  expect(due).toMatchObject([{ id: "paused-shared.example-000001", url, host: "shared.example" }]);
});

test("messages come until their bodies fill the room, and one at least", async () => {
  await owe("a.example", 3);
  await stack.sql.query("UPDATE outbox SET payload = json_build_object('a', repeat('x', 5000))");
  expect(await claim({ bytes: 1 })).toEqual(["a.example-000001"]);
  await stack.sql.query("UPDATE outbox SET lease_until = NULL");
  expect(await claim({ bytes: 6_000 })).toEqual(["a.example-000001", "a.example-000002"]);
});

test("callers that claim at once never get the same message", async () => {
  await owe("a.example", 200);
  const claims = await Promise.all(Array.from({ length: 40 }, () => claim({ per_host: 50 })));
  const ids = claims.flat();
  expect(ids.length).toBeGreaterThanOrEqual(50);
  expect(new Set(ids).size).toBe(ids.length);
});

test("a backlog of 50,000 messages to one host doesn't make the others' claims dear", async () => {
  const timeOf20Claims = async (name: string): Promise<number> => {
    const startedAt = performance.now();
    for (let i = 0; i < 20; i++) {
      await owe(`${name}-${i}.example`, 1);
      expect(await claim()).toEqual([`${name}-${i}.example-000001`]);
    }
    return performance.now() - startedAt;
  };
  const before = await timeOf20Claims("early");
  await owe("dead.example", 50_000);
  await stack.sql.query("ANALYZE outbox");
  await claim();
  // Reading through the backlog would take 2 s more, and longer where the machine is busy.
  expect(await timeOf20Claims("late")).toBeLessThan(10 * before + 500);
});
