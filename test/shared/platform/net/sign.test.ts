import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { sign } from "../../../../shared/platform/net/sign.ts";

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;
const message = { id: "msg_1", body: '{"type":"run.success","text":"✓"}' };

test("a receiver verifies a callback with the Standard Webhooks library", () => {
  const secret = newSecret();
  const headers = sign(message, new Date(), [secret]);
  expect(new Webhook(secret).verify(message.body, headers)).toEqual(JSON.parse(message.body));
});

test("during a rotation the old secret and the new one both verify it, another one doesn't", () => {
  const secrets = [newSecret(), newSecret()];
  const headers = sign(message, new Date(), secrets);
  for (const secret of secrets) expect(() => new Webhook(secret).verify(message.body, headers)).not.toThrow();
  expect(() => new Webhook(newSecret()).verify(message.body, headers)).toThrow("signature");
});

test("a changed body, id or time doesn't verify", () => {
  const secret = newSecret();
  const now = new Date();
  const headers = sign(message, now, [secret]);
  const later = String(Math.floor(now.getTime() / 1000) + 1);
  const receiver = new Webhook(secret);
  expect(() => receiver.verify(`${message.body} `, headers)).toThrow("signature");
  expect(() => receiver.verify(message.body, { ...headers, "webhook-id": "msg_2" })).toThrow("signature");
  expect(() => receiver.verify(message.body, { ...headers, "webhook-timestamp": later })).toThrow("signature");
});

test.each([-301, 301])(
  "a callback whose time is %i s off is refused by its receiver: it may be a replay",
  (seconds) => {
    const secret = newSecret();
    const headers = sign(message, new Date(Date.now() + seconds * 1000), [secret]);
    expect(() => new Webhook(secret).verify(message.body, headers)).toThrow("timestamp");
  },
);

test("a large message is signed as the library signs it, and in far less time", () => {
  const secrets = [newSecret(), newSecret(), newSecret()];
  const at = new Date();
  const large = { id: "msg_1", body: JSON.stringify({ text: "x".repeat(1_000_000) }) };
  const ways = {
    ours: () => sign(large, at, secrets)["webhook-signature"],
    theirs: () => secrets.map((secret) => new Webhook(secret).sign(large.id, at, large.body)).join(" "),
  };
  const fastest = { ours: Infinity, theirs: Infinity };
  for (let i = 0; i < 10; i++)
    for (const way of ["ours", "theirs"] as const) {
      const startedAt = performance.now();
      ways[way]();
      fastest[way] = Math.min(fastest[way], performance.now() - startedAt);
    }
  expect(ways.ours()).toBe(ways.theirs());
  expect(fastest.ours).toBeLessThan(fastest.theirs / 3);
});
