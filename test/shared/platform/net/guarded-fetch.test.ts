import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterEach, expect, inject, test } from "vitest";
import { createGuardedFetch } from "../../../../shared/platform/net/guarded-fetch.ts";
import type { ResolveName } from "../../../../shared/platform/net/guarded-lookup.ts";

const opened: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function receiver(listener: RequestListener): Promise<{ port: number; requests: () => number }> {
  let count = 0;
  const server = createServer((req, res) => {
    count++;
    listener(req, res);
  });
  opened.push(() => server.closeAllConnections());
  return { port: await listen(server), requests: () => count };
}

function guardedFetch(allowCidrs: string[], resolve?: ResolveName) {
  const fetch = createGuardedFetch(allowCidrs, resolve);
  opened.push(() => fetch.close());
  return (url: string, timeoutMs = 5_000) =>
    fetch.post(url, { headers: { "content-type": "application/json", "x-mark": "1" }, body: '{"a":1}', timeoutMs });
}

const loopback = ["127.0.0.0/8"];

test("a POST reaches an allowed receiver with its headers and its body", async () => {
  let seen: unknown;
  let body: Promise<string> | undefined;
  const { port } = await receiver((req, res) => {
    seen = { method: req.method, url: req.url, mark: req.headers["x-mark"] };
    body = text(req);
    res.writeHead(503, { "retry-after": "7" }).end("busy");
  });
  const answer = await guardedFetch(loopback)(`http://127.0.0.1:${port}/hook?x=1`);
  expect(answer).toEqual({ status: 503, retryAfter: "7" });
  expect(seen).toMatchObject({ method: "POST", url: "/hook?x=1", mark: "1" });
  expect(await body).toBe('{"a":1}');
});

test.each([301, 302, 303, 307, 308])(
  "a %i is an answer like any other: its location is never asked",
  async (status) => {
    const inner = await receiver((_, res) => res.end("secret"));
    const { port } = await receiver((_, res) =>
      res.writeHead(status, { location: `http://127.0.0.1:${inner.port}/` }).end(),
    );
    expect(await guardedFetch(loopback)(`http://127.0.0.1:${port}/`)).toMatchObject({ status });
    expect(inner.requests()).toBe(0);
  },
);

test.each(["127.0.0.1", "127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"])(
  "http://%s is blocked before it is connected to",
  async (host) => {
    const { port, requests } = await receiver((_, res) => res.end("secret"));
    await expect(guardedFetch([])(`http://${host}:${port}/`)).rejects.toMatchObject({ class: "blocked" });
    expect(requests()).toBe(0);
  },
);

test("a name is blocked when any of its addresses is private", async () => {
  const { port, requests } = await receiver((_, res) => res.end("secret"));
  const addresses = [
    { address: "8.8.8.8", family: 4 },
    { address: "127.0.0.1", family: 4 },
  ];
  const post = guardedFetch([], () => Promise.resolve(addresses));
  await expect(post(`http://innocent.example:${port}/`)).rejects.toMatchObject({ class: "blocked" });
  await expect(guardedFetch([])(`http://localhost:${port}/`)).rejects.toMatchObject({ class: "blocked" });
  expect(requests()).toBe(0);
});

test("a name that is rebound to a private address is blocked at its next request", async () => {
  const { port, requests } = await receiver((_, res) => res.end());
  const answers = ["127.0.0.1", "10.0.0.1"];
  const post = guardedFetch(loopback, () => Promise.resolve([{ address: answers.shift() ?? "", family: 4 }]));
  expect(await post(`http://rebound.example:${port}/`)).toMatchObject({ status: 200 });
  await expect(post(`http://rebound.example:${port}/`)).rejects.toMatchObject({ class: "blocked" });
  expect(requests()).toBe(1);
});

test("a request connects to the addresses that were judged, with one look-up", async () => {
  const { port } = await receiver((_, res) => res.end());
  let lookups = 0;
  const post = guardedFetch(loopback, () =>
    Promise.resolve([{ address: lookups++ === 0 ? "127.0.0.1" : "10.0.0.1", family: 4 }]),
  );
  expect(await post(`http://name.example:${port}/`)).toMatchObject({ status: 200 });
  expect(lookups).toBe(1);
});

test("a receiver that doesn't answer costs no more than the time-out", async () => {
  const { port } = await receiver(() => undefined);
  await expect(guardedFetch(loopback)(`http://127.0.0.1:${port}/`, 200)).rejects.toMatchObject({ class: "timeout" });
});

test("a receiver that takes no connection costs 5 s, however long an answer may take", async () => {
  const script =
    "import socket, time; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(0); print(s.getsockname()[1], flush=True); time.sleep(60)";
  const deaf = spawn("python3", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
  opened.push(() => void deaf.kill());
  const [line] = await once(deaf.stdout, "data");
  const port = Number(line);
  // Its queue of connections is full after these.
  for (let i = 0; i < 4; i++) {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    opened.push(() => void socket.destroy());
    await Promise.race([once(socket, "connect"), sleep(500)]);
  }
  const startedAt = performance.now();
  const sent = guardedFetch(loopback)(`http://127.0.0.1:${port}/`, 30_000);
  await expect(sent).rejects.toMatchObject({ class: "timeout" });
  expect(performance.now() - startedAt).toBeGreaterThan(4_000);
  expect(performance.now() - startedAt).toBeLessThan(12_000);
}, 30_000);

test("an endless body doesn't keep a request open, and its status counts", async () => {
  const { port } = await receiver((_, res) => {
    const more = (): void => {
      while (!res.destroyed && res.write("x".repeat(16_384)));
    };
    res.on("drain", more);
    more();
  });
  expect(await guardedFetch(loopback)(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
});

test("each fault has its class, and says no more than that", async () => {
  const garbage = await listen(
    createTcpServer((socket) => socket.on("error", () => undefined).end("SSH-2.0-banner\r\n")),
  );
  const { port } = await receiver((_, res) => res.end());
  const closed = createTcpServer();
  const closedPort = await listen(closed);
  await new Promise((resolve) => closed.close(resolve));
  const missing = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));

  const post = guardedFetch(loopback);
  const fault = (name: string) => ({ class: name, message: name });
  await expect(post(`http://127.0.0.1:${garbage}/`)).rejects.toMatchObject(fault("protocol"));
  await expect(post(`https://127.0.0.1:${port}/`)).rejects.toMatchObject(fault("tls"));
  await expect(post(`http://127.0.0.1:${closedPort}/`)).rejects.toMatchObject(fault("connect"));
  await expect(guardedFetch(loopback, missing)("http://nowhere.example/")).rejects.toMatchObject(fault("dns"));
});

test("where an operator opens the network of Redis or Postgres, a callback to them is no command to them", async () => {
  const redis = new Redis(inject("redisUrl"));
  opened.push(() => redis.disconnect());
  const key = `planted-${process.pid}`;
  const fetch = createGuardedFetch(["0.0.0.0/0", "::/0"]);
  opened.push(() => fetch.close());
  for (const store of [inject("redisUrl"), inject("databaseUrl")]) {
    const { hostname, port } = new URL(store);
    const post = { headers: {}, body: `\r\nSET ${key} 1\r\n`, timeoutMs: 3_000 };
    const sent = fetch.post(`http://${hostname}:${port}/`, post);
    await expect(sent).rejects.toMatchObject({ message: expect.stringMatching(/^(protocol|connect|timeout)$/) });
  }
  expect(await redis.get(key)).toBeNull();
});
