import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect as connectTo, createServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";
import { connectRedis } from "../../../../shared/platform/stream/connection.ts";
import { createAuthority } from "../../../../worker/gateway/authority.ts";
import { waitFor } from "../../../harness/wait-for.ts";

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** An alert that no peer may send at that point of a connection. */
const badAlert = Buffer.from([21, 3, 3, 0, 2, 2, 50]);

test("a server whose certificate nobody vouches for, and what it sends after it was refused, are faults of the connection alone", async () => {
  const { cert = "", key = "" } = createAuthority().certify("localhost") ?? {};
  const tls = createTlsServer({ cert, key, maxVersion: "TLSv1.2" }, () => undefined);
  tls.on("tlsClientError", () => undefined);
  const tlsPort = await listen(tls);
  // The client refuses the certificate when it has read all of the handshake, and the alert comes with its last part.
  const proxy = createServer((client) => {
    const upstream = connectTo(tlsPort, "127.0.0.1");
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    let flights = 0;
    client.pipe(upstream);
    upstream.on("data", (bytes) => client.write((flights += 1) === 2 ? Buffer.concat([bytes, badAlert]) : bytes));
    upstream.on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  const port = await listen(proxy);
  const uncaught: Error[] = [];
  const note = (error: Error): void => void uncaught.push(error);
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException").on("uncaughtException", note);
  onTestFinished(() => {
    process.removeListener("uncaughtException", note);
    for (const other of others) process.on("uncaughtException", other);
  });
  const faults: Error[] = [];
  const redis = connectRedis(`rediss://localhost:${port}`, (error) => void faults.push(error));
  onTestFinished(() => redis.disconnect());
  await waitFor(() => faults.length >= 5);
  expect(faults[0]?.message).toContain("certificate");
  expect(uncaught).toEqual([]);
});

test("what one turn asks of Redis is one write at the turn's end, also over a second connection", async () => {
  const redis = connectRedis(inject("redisUrl"), () => undefined) as Redis;
  onTestFinished(() => redis.disconnect());
  const key = `test:${randomUUID()}`;
  for (let connections = 1; connections <= 2; connections += 1) {
    await waitFor(() => redis.status === "ready");
    const answers = Array.from({ length: 100 }, () => redis.incr(key));
    const waiting = redis.stream.writableLength;
    expect(waiting).toBeGreaterThan(100 * key.length);
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(redis.stream.writableLength).toBe(0);
    await redis.del(key);
    redis.stream.destroy();
    await waitFor(() => redis.status !== "ready");
  }
});
