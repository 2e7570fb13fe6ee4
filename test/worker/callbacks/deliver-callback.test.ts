import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { oddAnswers } from "../../../chaos/fuzz/odd-answers.ts";
import { createGuardedFetch, type GuardedFetch } from "../../../shared/platform/net/guarded-fetch.ts";
import type { Try } from "../../../shared/store/outbox/record-try.ts";
import { deliverCallback } from "../../../worker/callbacks/deliver-callback.ts";
import { answer, openReceiver, type Receiver } from "../../harness/receiver.ts";

let receiver: Receiver;
let fetch: GuardedFetch;
const secret = `whsec_${randomBytes(32).toString("base64")}`;
const day = 86_400_000;

beforeAll(async () => {
  receiver = await openReceiver();
  fetch = createGuardedFetch(["127.0.0.0/8"]);
});
afterAll(async () => {
  await fetch?.close();
  await receiver?.close();
});
beforeEach(() => {
  receiver.got.splice(0);
});

function deliver(tries = 2, url = receiver.url, scale = 1): Promise<Try> {
  const owed = { id: "msg_1", user_id: "u", webhook_id: null, run_id: "run_1", type: "run.success", payload: null };
  const message = { ...owed, url, host: "receiver", tries, claimed_at: new Date(), traceparent: null };
  const body = JSON.stringify({ type: "run.success", data: { run_id: "run_1" } });
  return deliverCallback(fetch, scale, {
    message,
    body,
    secrets: [secret],
    signal: new AbortController().signal,
    traceparent: null,
  });
}

/** Milliseconds until the next try; null: there is none. */
const delayOf = ({ verdict }: Try) => (verdict.status === "pending" ? verdict.delay_ms : null);

test("a try is one POST of JSON, with the message's id and this try's own time and signature", async () => {
  receiver.react(answer(204));
  const first = await deliver();
  await sleep(1_000);
  await deliver();
  expect(first).toMatchObject({ status_code: 204, error: null, verdict: { status: "delivered" } });
  const [one, two] = receiver.got.map(({ headers }) => headers as Record<string, string>);
  expect(one).toMatchObject({ "content-type": "application/json", "webhook-id": "msg_1" });
  expect(two?.["webhook-id"]).toBe("msg_1");
  expect(Number(two?.["webhook-timestamp"])).toBeGreaterThan(Number(one?.["webhook-timestamp"]));
  for (const { text, headers } of receiver.got)
    expect(() => new Webhook(secret).verify(text, headers as Record<string, string>)).not.toThrow();
});

test.each([200, 201, 202, 204, 299])("%i is a delivery", async (status) => {
  receiver.react(answer(status));
  expect(await deliver()).toMatchObject({ status_code: status, error: null, verdict: { status: "delivered" } });
});

test.each([301, 302, 307, 308, 400, 401, 404, 409, 422, 500, 501])(
  "%i is a failure: it is tried again by the schedule, whatever it asks for",
  async (status) => {
    receiver.react(answer(status, { location: `${receiver.url}/elsewhere`, "retry-after": "3600" }));
    const tried = await deliver();
    expect(tried).toMatchObject({ status_code: status, error: `http_${status}` });
    // The third try's five minutes, a fifth more or less.
    expect(delayOf(await deliver(1))).toBeLessThanOrEqual(6 * 60_000);
    expect(receiver.got.every(({ path }) => path === "/")).toBe(true);
  },
);

test("410 stops", async () => {
  receiver.react(answer(410));
  expect(await deliver()).toMatchObject({ error: "http_410", verdict: { status: "gone" } });
});

test.each([429, 502, 503, 504])(
  "after a %i it is tried when the receiver asks for, a day from now at most",
  async (status) => {
    receiver.react(answer(status, { "retry-after": "7200" }));
    expect(delayOf(await deliver())).toBe(7_200_000);
    receiver.react(answer(status, { "retry-after": new Date(Date.now() + 7_200_000).toUTCString() }));
    expect(Math.abs((delayOf(await deliver()) ?? 0) - 7_200_000)).toBeLessThan(10_000);
    receiver.react(answer(status, { "retry-after": "99999999" }));
    expect(delayOf(await deliver())).toBe(day);
    for (const odd of ["soon", "-5", "0"]) {
      receiver.react(answer(status, { "retry-after": odd }));
      // The third delay of the schedule: half an hour, a fifth more or less.
      expect(delayOf(await deliver(2))).toBeGreaterThanOrEqual(24 * 60_000);
      expect(delayOf(await deliver(2))).toBeLessThanOrEqual(36 * 60_000);
    }
  },
);

test("the tenth failure is the last", async () => {
  receiver.react(answer(500));
  expect(delayOf(await deliver(8))).toBeGreaterThan(0);
  expect(await deliver(9)).toMatchObject({ error: "http_500", verdict: { status: "exhausted" } });
});

test("a smaller scale shortens the schedule, not what the receiver asks for", async () => {
  receiver.react(answer(503));
  expect(delayOf(await deliver(8, receiver.url, 0.00001))).toBeLessThanOrEqual(1.2 * 864);
  receiver.react(answer(503, { "retry-after": "60" }));
  expect(delayOf(await deliver(8, receiver.url, 0.00001))).toBe(60_000);
});

test("what gives no answer is told by its class alone, and tried again", async () => {
  const strict = createGuardedFetch([]);
  const allowed = fetch;
  fetch = strict;
  const blocked = await deliver();
  fetch = allowed;
  await strict.close();
  expect(blocked).toMatchObject({ status_code: null, error: "blocked", verdict: { status: "pending" } });
  expect(receiver.got).toEqual([]);
  expect(await deliver(2, "http://127.0.0.1:1/")).toMatchObject({ status_code: null, error: "connect" });
  receiver.react((res) => void res.socket?.end("SSH-2.0-OpenSSH_9.2p1 internal-banner\r\n"));
  const garbled = await deliver();
  expect(garbled).toMatchObject({ status_code: null, error: "protocol", verdict: { status: "pending" } });
  expect(JSON.stringify(garbled)).not.toContain("banner");
});

/** At once, since each of them waits for 15 s. */
describe.concurrent("a receiver costs 15 s, no more,", () => {
  test.each<[string, (res: ServerResponse) => void]>([
    ["takes the request and says nothing", () => undefined],
    [
      "drips its answer's head",
      (res) => {
        const drip = setInterval(() => res.socket?.write("H"), 500);
        res.socket?.on("close", () => clearInterval(drip)).on("error", () => undefined);
        res.socket?.write("HTTP/1.1 200 OK\r\nx-slow: ");
      },
    ],
  ])("that %s", { timeout: 30_000 }, async (_, react) => {
    const slow = await openReceiver();
    slow.react(react);
    const tried = await deliver(2, slow.url);
    expect(tried).toMatchObject({ status_code: null, error: "timeout", verdict: { status: "pending" } });
    expect(tried.duration_ms).toBeGreaterThanOrEqual(14_900);
    expect(tried.duration_ms).toBeLessThan(20_000);
    await slow.close();
  });
});

test("whatever bytes a receiver answers with, a try ends with a verdict, at once and within a day", async () => {
  let bytes = "";
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(bytes, "latin1"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const busy = (asked: string): [string, string] => [
    `Retry-After: ${asked}`,
    `HTTP/1.1 503 Busy\r\nRetry-After: ${asked}\r\nContent-Length: 0\r\n\r\n`,
  ];
  const asked = ["-1", "1e9", "0x10", "Infinity", "NaN", "999999999999999999999", "Thu, 01 Jan 1970 00:00:00 GMT"];
  const years = [
    "Fri, 31 Dec 9999 23:59:59 GMT",
    "+275760-09-13T00:00:00Z",
    "\xff",
    "1, 2",
    "5\r\nRetry-After: 6",
    " ",
  ];
  for (const [name, answer] of [...oddAnswers, ...[...asked, ...years].map(busy)]) {
    bytes = answer;
    const startedAt = performance.now();
    const tried = await deliver(2, url);
    expect([name, performance.now() - startedAt < 2_000]).toEqual([name, true]);
    expect([name, ["delivered", "pending"].includes(tried.verdict.status)]).toEqual([name, true]);
    const delay = delayOf(tried) ?? 0;
    expect([name, Number.isInteger(delay) && delay >= 0 && delay <= 1.2 * day]).toEqual([name, true]);
  }
  server.close();
}, 30_000);

test("a body without an end costs a receiver's try little, and its status counts", async () => {
  receiver.react((res) => {
    res.writeHead(200);
    const more = (): void => {
      while (!res.destroyed) if (!res.write(Buffer.alloc(65_536))) return void res.once("drain", more);
    };
    more();
  });
  const startedAt = performance.now();
  expect(await deliver()).toMatchObject({ status_code: 200, verdict: { status: "delivered" } });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
