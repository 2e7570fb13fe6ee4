import { afterAll, beforeEach, expect, test } from "vitest";
import { openDb } from "../../../../shared/store/client.ts";
import { type ClaimLimits, claimDueMessages } from "../../../../shared/store/outbox/claim-due-messages.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 6, () => undefined);
afterAll(() => db.close());
beforeEach(() => stack.sql.query("DELETE FROM outbox"));

/** The user's webhook `w`. */
async function makeWebhook(status: "active" | "paused"): Promise<void> {
  await db.prisma.user.upsert({ where: { id: "u" }, create: { id: "u" }, update: {} });
  const webhook = { user_id: "u", url: "https://shared.example/new", status };
  await db.prisma.webhook.upsert({ where: { id: "w" }, create: { id: "w", ...webhook }, update: webhook });
}

/** Owes a host so many messages, due one second after the other, the last one a second ago. */
const owe = (host: string, count: number, { user_id = "u", webhook_id = null as string | null } = {}) =>
  stack.sql.query(
    `INSERT INTO outbox (id, user_id, type, url, payload, webhook_id, next_attempt_at)
     SELECT CASE WHEN $4 = 'u' THEN '' ELSE $4 || ':' END || $1 || '-' || lpad(g::text, 6, '0'),
       $4, 't', 'https://' || $1 || '/hook', '{}', $3, now() - ($2 + 1 - g) * interval '1 s'
     FROM generate_series(1, $2::int) g`,
    [host, count, webhook_id, user_id],
  );
const usual = {
  ...{ messages: 100, bytes: 1024 * 1024, per_host: 3, per_user: 1_000 },
  ...{ slow: [], lease_ms: 60_000 },
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
  const slow = { slow: [{ host: "slow.example", user_id: "u" }] };
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

test("a user whose share is used up occupies no place of a host that others use, too", async () => {
  for (let i = 1; i <= 5; i++) await owe(`own${i}.example`, 1);
  expect(await claim({ per_user: 5 })).toHaveLength(5);
  await owe("shared.example", 50);
  await owe("shared.example", 2, { user_id: "other" });
  const theirs = ["other:shared.example-000001", "other:shared.example-000002"];
  expect(await claim({ per_user: 5 })).toEqual(theirs);
  expect(await claim({ per_user: 5 })).toEqual([]);
});

test("users take turns at a host, however long one of them has waited", async () => {
  await owe("shared.example", 50);
  expect(await claim()).toHaveLength(3);
  await owe("shared.example", 2, { user_id: "other" });
  expect(await claim()).toEqual([]);
  await stack.sql.query(
    "UPDATE outbox SET status = 'delivered' WHERE id IN ('shared.example-000001', 'shared.example-000002')",
  );
  // One of theirs is still under way.
  expect(await claim()).toEqual(["other:shared.example-000001", "shared.example-000004"]);
});

test("a host that one user finds slow is as fast as before for the others", async () => {
  await owe("shared.example", 5);
  await owe("shared.example", 2, { user_id: "other" });
  const slow = [{ host: "shared.example", user_id: "u" }];
  const both = ["other:shared.example-000001", "other:shared.example-000002", "shared.example-000001"];
  expect(await claim({ slow })).toEqual(both);
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
  await makeWebhook("paused");
  await owe("shared.example", 5, { webhook_id: "w" });
  await stack.sql.query("UPDATE outbox SET id = 'paused-' || id");
  await owe("shared.example", 2);
  expect(await claim()).toEqual(["shared.example-000001", "shared.example-000002"]);
  await makeWebhook("active");
  const due = await claimDueMessages(db, { ...usual, messages: 1 });
  expect(due).toMatchObject([
    { id: "paused-shared.example-000001", url: "https://shared.example/new", host: "shared.example" },
  ]);
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

test.each([
  ["a receiver that doesn't answer", "dead.example", "active"],
  ["a paused webhook, at everybody's host", "late-0.example", "paused"],
] as const)("a backlog of 50,000 messages to %s doesn't make the others' claims dear", async (_, host, status) => {
  await makeWebhook(status);
  const timeOf20Claims = async (name: string): Promise<number> => {
    const startedAt = performance.now();
    for (let i = 0; i < 20; i++) {
      await owe(`${name}-${i}.example`, 1);
      expect(await claim()).toEqual([`${name}-${i}.example-000001`]);
    }
    return performance.now() - startedAt;
  };
  const before = await timeOf20Claims("early");
  await owe(host, 50_000, { webhook_id: "w", user_id: "hoarder" });
  await stack.sql.query("ANALYZE outbox");
  await claim();
  // Reading through the backlog would take 2 s more, and longer where the machine is busy.
  expect(await timeOf20Claims("late")).toBeLessThan(10 * before + 500);
});
