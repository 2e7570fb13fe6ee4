import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { oddAnswers } from "../../chaos/fuzz/odd-answers.ts";
import { oddRequests } from "../../chaos/fuzz/odd-requests.ts";
import type { EgressListener } from "../../worker/gateway/egress.ts";
import { exchange } from "../harness/exchange.ts";
import { openListeningSocket } from "../../chaos/fuzz/listening-socket.ts";
import { waitFor } from "../harness/wait-for.ts";
import { loopbackEgress } from "../worker/sandbox/open-levels.ts";

let egress: ReturnType<typeof loopbackEgress>;
let target: number;
let heard: { head: string; body: string }[] = [];
const http = createHttpServer((req, res) => {
  const hear = (body: string): void => {
    heard.push({ head: `${req.method} ${req.url}\n${req.rawHeaders.join("\n")}`, body });
    res.end(`heard ${body.length}`);
  };
  text(req).then(hear, () => res.destroy());
});
const silent = createServer((socket) => void socket.on("error", () => undefined).resume());

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listen = async (server: Server): Promise<number> => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return portOf(server);
};
beforeAll(async () => {
  target = await listen(http);
  await listen(silent);
  egress = loopbackEgress([`*:${target}`, `*:${portOf(silent)}`, "*"]);
});
afterAll(() => {
  egress.close();
  http.close();
  silent.close();
});

async function openSandbox(
  allow = [`*:${target}`, `*:${portOf(silent)}`],
): Promise<{ port: number; listener: EgressListener }> {
  const { port, socket } = await openListeningSocket();
  const listener = egress.open(allow);
  listener.take(socket);
  return { port, listener };
}
const get = (fields = "", at = target): string => `GET http://127.0.0.1:${at}/x HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
const asks = async (port: number): Promise<string> => exchange(port, get("Connection: close\r\n"), 5_000);

/** A target that answers everything with the same bytes. */
async function answering(answer: string): Promise<number> {
  const server = createServer((socket: Socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(answer, "latin1"));
  });
  onTestFinished(() => void server.close());
  return listen(server);
}

test("no request that a sandbox can send ends the gateway, and its neighbour's calls are answered meanwhile", async () => {
  const [rude, neighbour] = await Promise.all([openSandbox(), openSandbox()]);
  expect(await asks(neighbour.port)).toContain("heard 0");
  const before = egress.gatewayPid();
  const odd = oddRequests(`127.0.0.1:${target}`);
  expect(odd.length).toBeGreaterThan(60);
  const answers = await Promise.all(
    odd.map(async ([name, request]) => {
      const answer = await exchange(rude.port, request);
      expect([name, await asks(neighbour.port)]).toEqual([name, expect.stringContaining("heard 0")]);
      return [name, answer] as const;
    }),
  );
  // Each is answered, or cut off, as HTTP has it.
  for (const [name, answer] of answers)
    expect([name, answer]).toEqual([name, expect.stringMatching(/^(HTTP\/1\.[01] [1-5]\d\d |$)/)]);
  expect(new Map(answers).get("Trailer")).toContain("heard 0");
  expect([egress.gatewayPid(), await asks(rude.port)]).toEqual([before, expect.stringContaining("heard 0")]);
  rude.listener.close();
  neighbour.listener.close();
}, 60_000);

test("no answer of a target ends the gateway: one that means nothing is a 502", async () => {
  const neighbour = await openSandbox();
  expect(await asks(neighbour.port)).toContain("heard 0");
  const before = egress.gatewayPid();
  expect(oddAnswers.length).toBeGreaterThan(60);
  const rude = await openSandbox(["*:1"]);
  const ports = await Promise.all(oddAnswers.map(([, answer]) => answering(answer)));
  const open = loopbackEgress(ports.map((port) => `*:${port}`));
  onTestFinished(() => open.close());
  const { port, socket } = await openListeningSocket();
  open.open(ports.map((one) => `*:${one}`)).take(socket);
  const passed = new Map<string, string>();
  let pid: number | null = null;
  for (const [at, [name]] of oddAnswers.entries()) {
    const answer = await exchange(port, get("Connection: close\r\n", ports[at] ?? 0), 2_000);
    pid ??= open.gatewayPid();
    passed.set(name, answer);
    expect([name, answer]).toEqual([name, expect.stringMatching(/^(HTTP\/1\.1 [2-5]\d\d |$)/)]);
    expect([name, open.gatewayPid()]).toEqual([name, pid]);
  }
  for (const name of ["status 000", "status 101", "status 999", "a thousand times 100", "nothing", "TLS"])
    expect([name, passed.get(name)]).toEqual([name, expect.stringMatching(/^HTTP\/1\.1 502 /)]);
  expect(passed.get("a hundred cookies")?.match(/Set-Cookie/g)).toHaveLength(100);
  expect([egress.gatewayPid(), await asks(neighbour.port)]).toEqual([before, expect.stringContaining("heard 0")]);
  rude.listener.close();
  neighbour.listener.close();
}, 60_000);

test("fields of a connection aren't passed on, either way; what is repeated stays so", async () => {
  const { port, listener } = await openSandbox();
  heard = [];
  const fields =
    "Connection: X-Own, keep-alive\r\nX-Own: 1\r\nProxy-Authorization: s\r\nTE: trailers\r\nTrailer: T\r\nX-Two: a\r\nX-Two: b\r\n";
  await exchange(port, get(fields));
  expect(heard[0]?.head.split("\n").slice(1)).toEqual([
    "host",
    `127.0.0.1:${target}`,
    "X-Two",
    "a",
    "X-Two",
    "b",
    "connection",
    "close",
  ]);
  listener.close();
});

test("bodies of both kinds arrive whole, and a slow reader holds its sender back", async () => {
  const { port, listener } = await openSandbox();
  const chunks = "5\r\nhello\r\n0\r\n\r\n";
  const head = `POST http://127.0.0.1:${target}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
  expect(await exchange(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}`)).toContain("heard 5");
  expect(await exchange(port, `${head}Content-Length: 300000\r\n\r\n${"b".repeat(300_000)}`)).toContain("heard 300000");

  let sent = 0;
  const flood = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const more = (): void => {
      while (sent < 200 << 20 && socket.writable) {
        sent += 1 << 16;
        if (!socket.write(Buffer.alloc(1 << 16))) return void socket.once("drain", more);
      }
    };
    more();
  });
  const at = await listen(flood);
  const own = loopbackEgress([`*:${at}`]);
  onTestFinished(() => (own.close(), void flood.close()));
  const { port: door, socket } = await openListeningSocket();
  own.open([`*:${at}`]).take(socket);
  const reader = connect(door, "127.0.0.1").on("error", () => undefined);
  reader.write(get("", at));
  await once(reader, "readable");
  let last = -1;
  await waitFor(async () => {
    await sleep(100);
    return last === (last = sent);
  }, 10_000);
  expect(sent).toBeLessThan(40 << 20);
  reader.destroy();
  listener.close();
}, 30_000);

test("a tunnel passes both ends on by themselves", async () => {
  const echo = createServer({ allowHalfOpen: true }, (socket) => {
    let said = "";
    socket.on("data", (part) => (said += String(part))).on("end", () => socket.end(`all of it: ${said}`));
  });
  const at = await listen(echo);
  const own = loopbackEgress([`*:${at}`]);
  onTestFinished(() => (own.close(), void echo.close()));
  const { port, socket } = await openListeningSocket();
  own.open([`*:${at}`]).take(socket);
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  client.end(`CONNECT 127.0.0.1:${at} HTTP/1.1\r\nHost: x\r\n\r\nwords`);
  expect(await text(client)).toBe("HTTP/1.1 200 Connected\r\n\r\nall of it: words");
});

test("a gateway that dies costs the calls in flight: the next call is answered by a new one", async () => {
  const { port, listener } = await openSandbox();
  expect(await asks(port)).toContain("heard 0");
  const first = egress.gatewayPid() ?? 0;
  const cut = exchange(port, get("", portOf(silent)), 20_000);
  await sleep(100);
  process.kill(first, "SIGKILL");
  expect(await cut).toBe("");
  expect(await asks(port)).toContain("heard 0");
  expect(egress.gatewayPid()).not.toBe(first);
  listener.close();
});

test("a gateway knows none of its worker's environment, and goes with it", async () => {
  const { port, listener } = await openSandbox();
  await asks(port);
  const pid = egress.gatewayPid() ?? 0;
  const environment = readFileSync(`/proc/${pid}/environ`, "utf8")
    .split("\0")
    .map((entry) => entry.split("=")[0]);
  expect(environment.filter((name) => name !== "" && name !== "UV_THREADPOOL_SIZE").sort()).toEqual([
    "NODE_CHANNEL_FD",
    "NODE_CHANNEL_SERIALIZATION_MODE",
  ]);
  process.kill(pid, "SIGTERM");
  expect(await asks(port)).toContain("heard 0");
  expect(egress.gatewayPid()).toBe(pid);
  listener.close();
});

test("between two runs of a sandbox nothing of the first is left: not open, not waiting in the backlog", async () => {
  const { port, listener } = await openSandbox();
  await asks(port);
  const pid = egress.gatewayPid() ?? 0;
  heard = [];
  const left = connect(port, "127.0.0.1");
  await once(left, "connect");
  const inFlight = exchange(port, get("", portOf(silent)), 20_000);
  await sleep(100);
  // It can't accept: what connects now waits in the backlog, each with a whole request.
  process.kill(pid, "SIGSTOP");
  const waiting = Array.from({ length: 10 }, () => exchange(port, get(), 20_000));
  await sleep(200);
  const ended = listener.endRun();
  process.kill(pid, "SIGCONT");
  await ended;
  // A call that it took before it heard of the end was still the first run's. None stays open.
  const endedAt = performance.now();
  expect(await Promise.all([inFlight, ...waiting])).toContain("");
  expect(performance.now() - endedAt).toBeLessThan(5_000);
  expect(await asks(port)).toContain("heard 0");

  // The same when the gateway is gone meanwhile.
  process.kill(pid, "SIGKILL");
  const orphans = Array.from({ length: 5 }, () => exchange(port, get(), 20_000));
  heard = [];
  await listener.endRun();
  await Promise.all(orphans);
  expect(heard).toEqual([]);
  expect(await asks(port)).toContain("heard 0");
  listener.close();
}, 30_000);

test("the end of a sandbox closes its connections and its socket", async () => {
  const { port, listener } = await openSandbox();
  await asks(port);
  const open = exchange(port, get("", portOf(silent)), 20_000);
  await sleep(50);
  listener.close();
  expect(await open).toBe("");
  await waitFor(async () => {
    const probe = connect(port, "127.0.0.1");
    const [how] = await Promise.race([once(probe, "connect"), once(probe, "error").then(([error]) => [error])]).catch(
      (error: unknown) => [error],
    );
    probe.destroy();
    return how instanceof Error;
  }, 5_000);
});

test("a sandbox has 64 connections at most, and its neighbours have theirs", async () => {
  const [greedy, neighbour] = await Promise.all([openSandbox(), openSandbox()]);
  await asks(neighbour.port);
  const sockets = Array.from({ length: 200 }, () => connect(greedy.port, "127.0.0.1").on("error", () => undefined));
  await waitFor(
    () => sockets.filter((socket) => socket.readyState === "closed" || socket.destroyed).length >= 136,
    5_000,
  ).catch(() => undefined);
  for (const socket of sockets) socket.resume();
  await waitFor(() => sockets.filter((socket) => socket.readyState !== "open").length >= 136, 5_000);
  expect(sockets.filter((socket) => socket.readyState === "open")).toHaveLength(64);
  expect(await asks(neighbour.port)).toContain("heard 0");
  for (const socket of sockets) socket.destroy();
  greedy.listener.close();
  neighbour.listener.close();
});

test("a sandbox that connects as fast as it can leaves its neighbours their answers", async () => {
  const [greedy, neighbour] = await Promise.all([openSandbox(), openSandbox()]);
  await asks(neighbour.port);
  const source = `import socket, sys, time
end = time.time() + 3
while time.time() < end:
    s = socket.socket(); s.connect(("127.0.0.1", ${greedy.port})); s.close()`;
  const floods = Array.from({ length: 4 }, () => spawn("python3", ["-c", source], { stdio: "ignore" }));
  onTestFinished(() => floods.forEach((flood) => flood.kill("SIGKILL")));
  await sleep(500);
  const times: number[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    const startedAt = performance.now();
    expect(await asks(neighbour.port)).toContain("heard 0");
    times.push(performance.now() - startedAt);
  }
  expect(Math.max(...times)).toBeLessThan(1_000);
  greedy.listener.close();
  neighbour.listener.close();
}, 30_000);
