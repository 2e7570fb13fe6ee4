import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { oddAnswers } from "../../../chaos/fuzz/odd-answers.ts";
import { createHttpAdapter } from "../../../worker/adapters/http/http-adapter.ts";
import { quickest } from "../../harness/quickest.ts";
import { agentRequest, runAgent } from "./run-agent.ts";

const adapter = createHttpAdapter({
  allowCidrs: ["127.0.0.0/8"],
  secretsOf: async () => [],
  now: async () => new Date(),
});
const MiB = 1024 * 1024;
const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const many = `[${"0,".repeat(300_000)}0]`;
const sse = "text/event-stream";
const ndjson = "application/x-ndjson";

type Say = (res: ServerResponse) => void;
const whole =
  (type: string, body: string | Buffer, headers = {}): Say =>
  (res) =>
    void res.writeHead(200, { "content-type": type, ...headers }).end(body);
/** The same bytes over and over, as fast as they are taken, until the other side has enough. */
const endless =
  (type: string, text: string): Say =>
  (res) => {
    const part = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
    res.writeHead(200, { "content-type": type });
    const more = (): void => {
      while (!res.destroyed) if (!res.write(part)) return void res.once("drain", more);
    };
    more();
  };

const cases: [name: string, say: Say, message: string][] = [
  ["JSON nested 200,000 deep", whole("application/json", deep(200_000)), "nested deeper than 64 levels"],
  ["JSON nested a million deep that doesn't end", whole("application/json", "[".repeat(1_000_000)), "nested deeper"],
  ["an object nested 200,000 deep", whole("application/json", '{"a":'.repeat(200_000)), "nested deeper"],
  ["a JSON line nested 200,000 deep", whole(ndjson, `{"type":"output","content":${deep(200_000)}}\n`), "nested deeper"],
  [
    "an event nested 200,000 deep",
    whole(sse, `data: {"type":"result","result_content":${deep(200_000)}}\n\n`),
    "nested deeper",
  ],
  ["JSON of 300,000 values", whole("application/json", many), "more than 250000 values"],
  ["a JSON line of 300,000 values", whole(ndjson, `{"type":"output","content":${many}}\n`), "more than 250000 values"],
  [
    "an event of 300,000 values",
    whole(sse, `data: {"type":"result","result_content":${many}}\n\n`),
    "more than 250000",
  ],
  ["an event that is deep though it looks like text", whole(sse, `data: ${"[".repeat(200_000)}\n\n`), "nested deeper"],
  ["endless newlines as events", endless(sse, "\n"), "more than 1000000 lines"],
  ["endless carriage returns as events", endless(sse, "\r"), "longer than"],
  ["endless comments", endless(sse, ":\n"), "more than 1000000 lines"],
  ["an event of endless lines", endless(sse, "data\n"), "more than"],
  ["an event whose lines end in CR", whole(sse, `${"data: x\r".repeat(1_100_000)}\n`), "lines"],
  ["endless newlines as JSON lines", endless(ndjson, "\n"), "more than"],
  ["a JSON line without an end", endless(ndjson, "x"), "more than 268435456 bytes"],
  ["JSON without an end", endless("application/json", " "), "too long"],
  [
    "gzip, unasked",
    whole("text/plain", gzipSync(Buffer.alloc(MiB)), { "content-encoding": "gzip" }),
    "compressed (gzip)",
  ],
  ["a charset of its own", whole("text/plain; charset=ebcdic-x", "text"), "charset that isn't known: ebcdic-x"],
  ["a head that is too long", whole("text/plain", "", { "x-long": "x".repeat(200_000) }), "no HTTP"],
];

let web: ReturnType<typeof createServer>;
beforeAll(async () => {
  web = createServer((req, res) => {
    res.on("error", () => undefined);
    cases[Number(req.url?.slice(1))]?.[1](res);
  }).listen(0, "127.0.0.1");
  await once(web, "listening");
});
afterAll(async () => {
  await adapter.close();
  web.closeAllConnections();
  web.close();
});
const urlOf = (server: Server, path = ""): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;

test.each(cases.map(([name, , message], at) => [name, at, message] as const))(
  "%s ends its own run with a sentence, and leaves the worker's event loop to others",
  async (_name, at, message) => {
    const longestDelay = async (): Promise<number> => {
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const { error, exit } = await runAgent(adapter, agentRequest("chatty", { url: urlOf(web, String(at)) }));
      delay.disable();
      expect([error, exit.code]).toEqual([
        expect.objectContaining({ code: "agent_error", message: expect.stringContaining(message) }),
        0,
      ]);
      expect(error?.message).toMatch(/^The agent's answer .*\.$/s);
      return delay.max / 1e6;
    };
    expect(await quickest(1_500, longestDelay)).toBeLessThan(1_500);
  },
);

test("text in another charset is read as that", async () => {
  const say = whole("text/plain; charset=iso-8859-1", Buffer.from("gr\u00fc\u00df", "latin1"));
  const server = createServer((_req, res) => say(res));
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { outputs } = await runAgent(adapter, agentRequest("chatty", { url: urlOf(server) }));
  expect(outputs.join("")).toBe("gr\u00fc\u00df");
});

test("whatever bytes come for an answer, the run ends with what they say or with an error of its own", async () => {
  let answer = "";
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(answer, "latin1"));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  process.on("uncaughtException", note);
  onTestFinished(() => void process.off("uncaughtException", note));
  for (const [name, bytes] of oddAnswers) {
    answer = bytes;
    const { frames } = await runAgent(adapter, agentRequest("chatty", { url: urlOf(server) }));
    const last = frames.at(-2);
    expect([name, last?.type]).toEqual([name, expect.stringMatching(/^(result|error)$/)]);
    if (last?.type === "error") expect([name, last.code]).toEqual([name, "agent_error"]);
  }
  expect(uncaught).toEqual([]);
}, 60_000);
