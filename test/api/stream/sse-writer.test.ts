import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defineOperation } from "../../../api/http/define-operation.ts";
import { openSseWriter } from "../../../api/stream/sse-writer.ts";
import { encodeChunk } from "../../../api/stream/encoded-chunk.ts";
import { listen, type RunningApp } from "../http/listen.ts";

let app: RunningApp;
const messages = ["data: ä€😀\n\n", "", "data: 2\n\n"];

const messagesOperation = defineOperation({
  method: "get",
  path: "/messages",
  name: "messages",
  area: "Samples",
  scope: "public",
  summary: "Messages, and the end",
  responses: { 200: { description: "Events", content_type: "text/event-stream", example: "data: 1\n\n" } },
  handle: async () => ({
    respond: (_req, res) => {
      const writer = openSseWriter(res, { headers: {}, first: "data: 1\n\n", ping: "" });
      setImmediate(() => {
        for (const message of messages) void writer.write(encodeChunk(message));
        writer.end("data: 3\n\n");
      });
    },
  }),
});
/** Clients of `/large` that are connected. `bothCame` resolves with two. */
let connected = 0;
let noteBoth = (): void => undefined;
const bothCame = new Promise<void>((resolve) => (noteBoth = resolve));
/** More than the buffers of both ends hold. */
const large = `data: ${"x".repeat(64 * 1024 * 1024)}\n\n`;
const largeOperation = defineOperation({
  method: "get",
  path: "/large",
  name: "large",
  area: "Samples",
  scope: "public",
  summary: "A message that takes long, and the end",
  responses: { 200: { description: "Events", content_type: "text/event-stream", example: "data: 1\n\n" } },
  handle: async () => ({
    respond: async (_req, res) => {
      connected += 1;
      if (connected === 2) noteBoth();
      res.on("close", () => (connected -= 1));
      const writer = openSseWriter(res, { headers: {}, first: "", ping: "" });
      await writer.write(encodeChunk(large));
      writer.end("data: last\n\n");
    },
  }),
});
const whole = `data: 1\n\n${messages.join("")}data: 3\n\n`;

beforeAll(async () => {
  app = await listen([messagesOperation, largeOperation]);
});
afterAll(() => app?.close());

/** All that comes back until the server closes the connection. */
async function answersTo(bytes: string): Promise<string> {
  const socket = connect(app.port, "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  socket.write(bytes);
  await once(socket, "close");
  return Buffer.concat(received).toString();
}

/** The bodies of chunked answers that follow on one another. */
function dechunk(text: string): string[] {
  const bodies: string[] = [];
  for (let rest = Buffer.from(text); rest.length > 0;) {
    rest = rest.subarray(rest.indexOf("\r\n\r\n") + 4);
    let body = "";
    for (let size = -1; size !== 0;) {
      size = Number.parseInt(rest.toString("latin1"), 16);
      const start = rest.indexOf("\r\n") + 2;
      body += rest.subarray(start, start + size).toString();
      expect(rest.subarray(start + size, start + size + 2).toString()).toBe("\r\n");
      rest = rest.subarray(start + size + 2);
    }
    bodies.push(body);
  }
  return bodies;
}

test("a stream is well-formed chunks, the next one on the same connection too, asked for before the first was over or not", async () => {
  const request = (last: string) => `GET /messages HTTP/1.1\r\nHost: x\r\n${last}\r\n`;
  expect(dechunk(await answersTo(request("") + request("Connection: close\r\n")))).toEqual([whole, whole]);
  for (const _turn of [1, 2]) expect(await (await fetch(`${app.url}/messages`)).text()).toBe(whole);
});

test("an HTTP/1.0 client, such as a proxy, gets the messages alone", async () => {
  const answer = await answersTo("GET /messages HTTP/1.0\r\n\r\n");
  expect(answer).not.toMatch(/transfer-encoding/i);
  expect(answer.slice(answer.indexOf("\r\n\r\n") + 4)).toBe(whole);
});

test("a client that reads slowly but steadily keeps its stream for as long as it takes, one that reads nothing loses it", async () => {
  const request = "GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const stuck = connect(app.port, "127.0.0.1").pause();
  stuck.write(request);
  const socket = connect(app.port, "127.0.0.1");
  let [received, text, isClosed] = [0, "", false];
  socket.on("close", () => (isClosed = true));
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
    text = (text + chunk.toString("latin1")).slice(-100);
    if (received < end) socket.pause();
  });
  let end = Infinity;
  socket.write(request);
  await bothCame;
  const startedAt = performance.now();
  while (connected === 2 && performance.now() - startedAt < 90_000) {
    await sleep(200);
    socket.resume();
  }
  expect([isClosed, received < large.length, connected]).toEqual([false, true, 1]);
  stuck.destroy();
  end = 0;
  socket.resume();
  await once(socket, "close");
  expect(text).toContain("data: last");
}, 120_000);

test("a stream can't be sniffed, framed or read by other origins, and has no headers of documents", async () => {
  const { headers } = await fetch(`${app.url}/messages`);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("x-frame-options")).toBe("SAMEORIGIN");
  expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  expect(headers.get("content-security-policy")).toBeNull();
});
