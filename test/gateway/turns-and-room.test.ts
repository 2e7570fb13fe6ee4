import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { bodyLimits } from "../../gateway/limits.ts";
import { meterAnswer } from "../../gateway/meter/meter-response.ts";
import { readRequestBounds, readRequest } from "../../gateway/meter/protocol.ts";
import { saysNamesTwice } from "../../gateway/meter/names-twice.ts";
import { createBufferLimits } from "../../gateway/buffer-limits.ts";
import { createTimeSlices } from "../../gateway/share-event-loop.ts";
import { stringEnd } from "../../shared/domain/json/measure-json.ts";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

test("a request of more values than one can have isn't read: it would stop the gateway for seconds", () => {
  const body = (count: number) => Buffer.from(`{"input":[${"0,".repeat(count)}0]}`);
  expect(readRequest(body(300_000))).not.toBeNull();
  expect(readRequest(body(bodyLimits.values))).toBeNull();
});

const askedOf = (body: object, pathname = "/v1/chat/completions") =>
  readRequestBounds(pathname.endsWith("/messages") ? "anthropic" : "chat", { ...body }, pathname);

test("what a request multiplies or has fetched is reserved, too", () => {
  const prompts = { prompt: Array.from({ length: 100 }, () => "x"), n: 2, max_tokens: 1_000 };
  expect(askedOf(prompts, "/v1/completions")).toMatchObject({ choices: 200, output_most: 1_000 });
  expect(askedOf({ prompt: [1, 2, 3] }, "/v1/completions").choices).toBe(1);
  const most = (body: object) => askedOf(body, "/v1/messages").input_most;
  const fetches = { tools: [{ type: "web_fetch_20250910", name: "web_fetch", max_uses: 50 }] };
  expect(most(fetches)).toBeGreaterThan(10_000_000);
  expect(most({ tools: [{ type: "web_search_20250305", name: "web_search" }] })).toBeGreaterThan(1_000_000);
  expect(most({ mcp_servers: [{ url: "https://x.example" }] })).toBeGreaterThan(1_000_000);
  const own = [{ name: "a", input_schema: {} }, { type: "bash_20250124", name: "bash" }, { type: "function" }];
  expect(most({ tools: own })).toBeLessThan(1_000);
  const page = { type: "document", source: { type: "url", url: "https://x.example/a.pdf" } };
  expect(most({ messages: [{ role: "user", content: [page] }] })).toBeGreaterThan(200_000);
  const picture = { type: "image_url", image_url: { url: "https://x.example/a.png" } };
  const ofPicture = (model: string) => askedOf({ model, messages: [{ role: "user", content: [picture] }] }).input_most;
  expect([ofPicture("gpt-5-mini") < 10_000, ofPicture("gpt-4o-mini") > 40_000]).toEqual([true, true]);
});

test("a call is reserved by every model that may answer it, and an embedding has no answer's length", () => {
  const azure = askedOf({ model: "gpt-5-nano" }, "/openai/deployments/gpt-5-pro/chat/completions");
  expect([azure.model, azure.other_models]).toEqual(["gpt-5-pro", ["gpt-5-nano"]]);
  const router = askedOf({ model: "openai/gpt-5-nano", models: ["openai/gpt-5-pro"] });
  expect([router.model, router.other_models]).toEqual(["openai/gpt-5-nano", ["openai/gpt-5-pro"]]);
  expect(askedOf({ model: "m", input: "x" }, "/v1/embeddings").output_most).toBe(0);
});

test("no sandbox takes the room that others have", () => {
  const open = createBufferLimits({ ofOne: 60, inAll: 100, always: 10 });
  const [greedy, second, third] = [open(), open(), open()];
  expect([greedy.take(60), greedy.take(1), second.take(40), second.take(1)]).toEqual([true, false, true, false]);
  expect([third.take(10), third.take(1)]).toEqual([true, false]);
  greedy.giveBack(60);
  expect(third.take(1)).toBe(true);
});

test("a sandbox that always has something to do leaves others their turns, and rests between its own", async () => {
  const open = createTimeSlices();
  const [greedy, other] = [open(), open()];
  const done: string[] = [];
  const busy = (ms: number): void => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };
  const all = Array.from({ length: 20 }, (_, n) => greedy(() => (busy(5), done.push(`greedy ${n}`))));
  await greedy(() => 0).catch(() => undefined);
  await Promise.all(all);
  const startedAt = performance.now();
  const again = Array.from({ length: 20 }, () => greedy(() => busy(5)));
  await other(() => done.push("other"));
  expect(done.indexOf("other")).toBe(20);
  await Promise.all(again);
  // Twenty turns of 5 ms, and a rest of 5 ms after each but the last.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(190);
  await expect(greedy(() => Promise.reject(new Error("once")))).rejects.toThrow("once");
  expect(await greedy(async () => (await sleep(1), "goes on"))).toBe("goes on");
});

test.each([
  ["chat", '"usage":{"prompt_tokens":3,"completion_tokens":4}', { input: 3, output: 4 }],
  ["anthropic", '"usage": {"input_tokens":3,"output_tokens":4}', { input: 3, output: 4 }],
  ["google", '"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4}', { input: 3, output: 4 }],
] as const)(
  "of a long answer of %s both ends are read, and a text can't say what it costs",
  async (protocol, usage, told) => {
    const forged = '\\"usage\\":{\\"prompt_tokens\\":0,\\"completion_tokens\\":0}'.replace(
      "usage",
      usage.slice(1, 14).split('"')[0] ?? "",
    );
    const text = `{"model":"m","modelVersion":"m","content":[{"input":{"usage":{"prompt_tokens":0}}}],"x":"${"y".repeat(3 << 20)}","said":"${forged}",${usage},"tail":"${forged}"}`;
    const { stream, reading } = meterAnswer({ protocol, isStream: false, dropsUsage: false, pace: (act) => act() });
    const bytes = Buffer.from(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, n) =>
      bytes.subarray(n * 65_536, (n + 1) * 65_536),
    );
    const passed = await buffer(Readable.from(pieces).pipe(stream));
    expect(passed.equals(bytes)).toBe(true);
    expect(reading).toMatchObject({ model: "m", usage: told, isWhole: true, isFailed: false, bytes: bytes.length });
  },
);

test("a string's end is found whatever its backslashes", () => {
  for (const inner of ["", "x", '\\"', "\\\\", '\\"x\\\\', '\\\\\\"', `${'\\"'.repeat(9)}\\\\`]) {
    expect(stringEnd(`"${inner}",1"`, 0)).toBe(inner.length + 1);
    const text = `{"a":"${inner}","b":1}`;
    expect(saysNamesTwice(text, JSON.parse(text))).toBe(false);
    expect(saysNamesTwice(text.replace('"b"', '"a"'), { a: 1 })).toBe(true);
  }
  expect(stringEnd('"no end\\"', 0)).toBe(9);
});
