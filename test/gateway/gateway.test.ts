import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { openListeningSocket } from "../../chaos/fuzz/listening-socket.ts";
import { oddAnswers } from "../../chaos/fuzz/odd-answers.ts";
import { oddRequests } from "../../chaos/fuzz/odd-requests.ts";
import { exchange } from "../harness/exchange.ts";
import { waitFor } from "../harness/wait-for.ts";
import { loopbackEgress } from "../worker/sandbox/open-levels.ts";
import { listen, openScene } from "./scene.ts";

const scene = await openScene();
afterAll(() => scene.close());
const { openSandbox, get, asks } = scene;

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
  const before = scene.egress.gatewayPid();
  const odd = oddRequests(`127.0.0.1:${scene.target}`);
  expect(odd.length).toBeGreaterThan(60);
  const answers = await Promise.all(
    odd.map(async ([name, request]) => {
      const answer = await (name === "Trailer"
        ? exchange(rude.port, request, 20_000, "heard 0")
        : exchange(rude.port, request));
      expect([name, await asks(neighbour.port)]).toEqual([name, expect.stringContaining("heard 0")]);
      return [name, answer] as const;
    }),
  );
  // Each is answered, or cut off, as HTTP has it.
  for (const [name, answer] of answers)
    expect([name, answer]).toEqual([name, expect.stringMatching(/^(HTTP\/1\.[01] [1-5]\d\d |$)/)]);
  expect(new Map(answers).get("Trailer")).toContain("heard 0");
  expect([scene.egress.gatewayPid(), await asks(rude.port)]).toEqual([before, expect.stringContaining("heard 0")]);
  rude.listener.close();
  neighbour.listener.close();
}, 60_000);

test("no answer of a target ends the gateway: one that means nothing is a 502", async () => {
  const neighbour = await openSandbox();
  expect(await asks(neighbour.port)).toContain("heard 0");
  const before = scene.egress.gatewayPid();
  expect(oddAnswers.length).toBeGreaterThan(60);
  const ports = await Promise.all(oddAnswers.map(([, answer]) => answering(answer)));
  const open = loopbackEgress(ports.map((port) => `*:${port}`));
  onTestFinished(() => open.close());
  const { port, socket } = await openListeningSocket();
  open.open(ports.map((one) => `*:${one}`)).take(socket);
  const refused = ["status 000", "status 101", "status 999", "a thousand times 100", "nothing", "TLS"];
  const passed = new Map<string, string>();
  let pid: number | null = null;
  for (const [at, [name]] of oddAnswers.entries()) {
    const isAnswered = refused.includes(name) || name === "a hundred cookies";
    const answer = await exchange(port, get("Connection: close\r\n", ports[at] ?? 0), isAnswered ? 20_000 : 2_000);
    pid ??= open.gatewayPid();
    passed.set(name, answer);
    expect([name, answer]).toEqual([name, expect.stringMatching(/^(HTTP\/1\.1 [2-5]\d\d |$)/)]);
    expect([name, open.gatewayPid()]).toEqual([name, pid]);
  }
  for (const name of refused)
    expect([name, passed.get(name)]).toEqual([name, expect.stringMatching(/^HTTP\/1\.1 502 /)]);
  expect(passed.get("a hundred cookies")?.match(/Set-Cookie/g)).toHaveLength(100);
  expect([scene.egress.gatewayPid(), await asks(neighbour.port)]).toEqual([before, expect.stringContaining("heard 0")]);
  neighbour.listener.close();
}, 60_000);

test("fields of a connection aren't passed on, either way; what is repeated stays so", async () => {
  const { port, listener } = await openSandbox();
  scene.heard.splice(0);
  const fields =
    "Connection: X-Own, keep-alive\r\nX-Own: 1\r\nProxy-Authorization: s\r\nTE: trailers\r\nTrailer: T\r\nX-Two: a\r\nX-Two: b\r\n";
  await exchange(port, get(fields));
  expect(scene.heard[0]?.head.split("\n").slice(1)).toEqual([
    "host",
    `127.0.0.1:${scene.target}`,
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
  const head = `POST http://127.0.0.1:${scene.target}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
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
