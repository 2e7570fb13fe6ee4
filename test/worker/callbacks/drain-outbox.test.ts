import { randomBytes } from "node:crypto";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createLog } from "../../../shared/platform/log.ts";
import { type Db, openDb } from "../../../shared/store/client.ts";
import { insertWebhookSecret } from "../../../shared/store/webhooks/webhook-secrets.ts";
import { type OutboxDrain, startOutboxDrain } from "../../../worker/callbacks/drain-outbox.ts";
import { openReceiver } from "../../harness/receiver.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 6, () => undefined);
const receiver = await openReceiver();
afterAll(() => Promise.all([db.close(), receiver.close()]));
beforeEach(async () => {
  receiver.got.splice(0);
  await stack.sql.query("DELETE FROM users");
  await stack.sql.query("INSERT INTO users (id) VALUES ('u')");
});

const keyRing = [{ id: "k1", key: randomBytes(32) }];
const lostRing = [{ id: "k0", key: randomBytes(32) }];

/** A webhook of the receiver's with so many messages. */
async function owe(id: string, ring: typeof keyRing, count: number): Promise<void> {
  await db.prisma.webhook.create({ data: { id, user_id: "u", url: receiver.url } });
  await insertWebhookSecret(db.prisma, ring, id);
  const messages = Array.from({ length: count }, (_, i) => ({ id: `${id}-${i}`, user_id: "u", webhook_id: id }));
  const more = { type: "webhook.test", payload: {}, url: receiver.url };
  await db.prisma.outboxMessage.createMany({ data: messages.map((message) => ({ ...message, ...more })) });
}

const drain = (through: Db): OutboxDrain =>
  startOutboxDrain({
    ...{ db: through, keyRing, log: createLog("worker", "silent"), allowCidrs: ["127.0.0.0/8"], scheduleScale: 100 },
    ...{ readRun: () => Promise.resolve(null), onNotified: () => undefined, tracing: null, onTried: () => undefined },
  });
const messages = (webhook_id: string) => db.prisma.outboxMessage.findMany({ where: { webhook_id } });

test("messages that can't be read are charged a try, wait for the next one, and stop no other of their host", async () => {
  await owe("broken", lostRing, 8);
  await owe("sound", keyRing, 1);
  const drained = drain(db);
  await waitFor(async () => (await messages("sound"))[0]?.status === "delivered");
  await waitFor(async () => (await messages("broken")).every(({ tries }) => tries === 1));
  await drained.close();
  for (const message of await messages("broken")) {
    expect(message).toMatchObject({ status: "pending", last_error: "unreadable", lease_until: null });
    expect(message.next_attempt_at.getTime()).toBeGreaterThan(Date.now());
  }
  expect(receiver.got).toHaveLength(1);
});

test("a message whose secret can't be read since Postgres is away is not charged a try", async () => {
  await owe("sound", keyRing, 1);
  let asked = 0;
  const query = (sent: { name?: string }) => {
    if (!sent.name?.startsWith("read-webhook-secrets")) return db.sql.query(sent as { text: string });
    asked += 1;
    return Promise.reject(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }));
  };
  const drained = drain({ ...db, sql: { query } as unknown as Db["sql"] });
  await waitFor(() => asked > 0);
  await drained.close();
  expect(await messages("sound")).toMatchObject([{ status: "pending", tries: 0, last_error: null }]);
});
