import { readFileSync } from "node:fs";
import { agentFrame } from "../../../worker/channel/frame-schema.ts";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ChannelBreach } from "../../../worker/channel/channel-budget.ts";
import { decodeFrames } from "../../../worker/channel/decode-frames.ts";
import { maxLineBytes } from "../../../worker/channel/split-lines.ts";

async function decode(chunks: Uint8Array[]) {
  const frames = [];
  for await (const frame of decodeFrames(
    (async function* () {
      yield* chunks;
    })(),
  ))
    frames.push(frame);
  return frames;
}

test("frames come out the same wherever the bytes are cut", async () => {
  const content = fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(content, fc.array(fc.nat(2000), { maxLength: 10 }), async (values, cuts) => {
      const expected = JSON.parse(JSON.stringify(values)).map((value: unknown) => ({ type: "output", content: value }));
      const bytes = Buffer.from(
        values.map((value) => `${JSON.stringify({ type: "output", content: value })}\n`).join(""),
      );
      const edges = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b);
      const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
      expect(await decode(chunks)).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test("no bytes at all make it throw", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 64 })), async (chunks) => {
      for (const frame of await decode(chunks)) expect(frame.type).toBeTypeOf("string");
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["not json\n", "not JSON", null],
  [Buffer.from([0xff, 0x0a]), "not UTF-8", null],
  [
    '{"type":"exit","code":0}\n',
    expect.stringMatching(/^not like any frame: its `type` is none of output, log, /),
    "exit",
  ],
  ['{"type":"progress","value":2}\n', expect.stringMatching(/^`value` is wrong: Too big/), "progress"],
  ['{"type":"tool.start","name":"x"}\n', "`call_id` is missing", "tool.start"],
  [
    '{"type":"artifact","name":"a","content":"hello"}\n',
    "`content` is wrong: must be base64; text goes into `text`",
    "artifact",
  ],
  ['{"a":1}\n', "not like any frame: it has no `type`", null],
  [`{"type":"result","result_content":${"[".repeat(66)}${"]".repeat(66)}}\n`, "nested deeper than 64 levels", "result"],
  [`${"[".repeat(1_000_000)}\n`, "nested deeper than 64 levels", null],
  ['{"type":"output"', "torn: the channel closed within it", null],
])("%.30s is a fault, and says why", async (line, reason, frame_type) => {
  const [fault, ...more] = await decode([Buffer.from(line)]);
  // A line that was parsed, and names no message, is for none.
  const isParsed = fault?.type === "fault" && /^(not like|`)/.test(fault.reason);
  expect([fault, ...more]).toEqual([{ type: "fault", reason, frame_type, ...(isParsed && { to: null }) }]);
});

test("an endless line costs no memory, and the next one is read", async () => {
  const chunk = Buffer.alloc(1024 * 1024, "x");
  const chunks = [
    ...Array.from({ length: maxLineBytes / chunk.length + 1 }, () => chunk),
    Buffer.from('\n{"type":"output","content":1}\n'),
  ];
  const frames = await decode(chunks);
  expect(frames.map((frame) => frame.type)).toEqual(["fault", "output"]);
});

/** The same chunk over and over; counts how often it was asked for. */
function flood(text: string): { channel: AsyncIterable<Uint8Array>; taken: () => number } {
  const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
  let taken = 0;
  async function* channel(): AsyncGenerator<Uint8Array> {
    for (;;) {
      taken += chunk.length;
      yield chunk;
    }
  }
  return { channel: channel(), taken: () => taken };
}

test.each([
  ["newlines", "\n", "lines", 2_000_000],
  ["lines that are no frames", "x\n", "faults", 3_000_000],
  ["a line without an end", "x", "bytes", 300 << 20],
])(
  "a channel of endless %s is given up, once, and others have the event loop meanwhile",
  async (_, text, limit, most) => {
    const { channel, taken } = flood(text);
    const breaches: ChannelBreach[] = [];
    const atTurns = [0];
    let reading = true;
    const turn = (): void => {
      atTurns.push(taken());
      if (reading) setImmediate(turn);
    };
    setImmediate(turn);
    let last: unknown;
    for await (const frame of decodeFrames(channel, { onBreach: (breach) => void breaches.push(breach) })) last = frame;
    reading = false;
    expect(breaches).toEqual([expect.any(ChannelBreach)]);
    expect(breaches[0]?.limit).toBe(limit);
    expect(last).toEqual({
      type: "fault",
      reason: expect.stringMatching(/^more than \d+ (lines|bytes|lines that can't be used) within 60 s$/),
      frame_type: null,
    });
    expect(taken()).toBeLessThan(most);
    const between = atTurns.map((bytes, at) => bytes - (atTurns[at - 1] ?? 0));
    expect(Math.max(...between)).toBeLessThan(4 * 256 * 1024);
  },
);

test("what one channel may take is a budget for each window, so that one that is open for days isn't given up", async () => {
  const budget = { bytes: 1_000, lines: 3, faults: 3, cpuMs: 1_000, windowMs: 20 };
  const line = Buffer.from('{"type":"output","content":1}\n');
  async function* slow(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < 8; at += 1) {
      yield line;
      await sleep(15);
    }
  }
  const frames = [];
  for await (const frame of decodeFrames(slow(), { budget })) frames.push(frame.type);
  expect(frames).toEqual(Array.from({ length: 8 }, () => "output"));
  async function* fast(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < 8; at += 1) yield line;
  }
  const cut = [];
  for await (const frame of decodeFrames(fast(), { budget: { ...budget, windowMs: 60_000 } })) cut.push(frame.type);
  expect(cut).toEqual(["output", "output", "output", "fault"]);
});

test.each([
  ['{"type":"result","content":{"a":1}}', { type: "result", result_content: { a: 1 } }],
  [
    '{"type":"error","message":"my error","code":"x"}',
    { type: "error", code: "agent_error", error_type: "x", message: "my error" },
  ],
  [
    '{"type":"error","error":{"type":"Overloaded","message":"busy"}}',
    { type: "error", error_type: "Overloaded", message: "busy" },
  ],
  ['{"type":"state","state":{"a":1}}', { type: "state", state_snapshot: ' {"a":1}' }],
  ['{"type":"artifact","name":"a.txt","text":"hi"}', { type: "artifact", content: "aGk=" }],
  ['{"type":"interrupt","message":{"ask":1}}', { type: "interrupt", message: '{"ask":1}' }],
  ['{"type":"log","level":"WARNING","message":"x"}', { type: "log", level: "warn" }],
  ['{"type":"log","level":"bogus","message":"x"}', { type: "log", level: "info" }],
])("what people write by guess is read as they mean it: %s", async (line, frame) => {
  expect(await decode([Buffer.from(`${line}\n`)])).toMatchObject([frame]);
});

test("the documentation's frames are frames, of each type one", async () => {
  const text = readFileSync(new URL("../../../docs/agents.md", import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line.startsWith('{"type": '));
  const frames = await decode([Buffer.from(lines.map((line) => `${line}\n`).join(""))]);
  expect(frames.map(({ type }) => type).toSorted()).toEqual(
    agentFrame.options.map(({ shape }) => [...shape.type.values][0]).toSorted(),
  );
});
