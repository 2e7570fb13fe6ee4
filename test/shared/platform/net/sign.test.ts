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
