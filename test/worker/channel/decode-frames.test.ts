import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeFrames, maxLineBytes } from "../../../worker/channel/decode-frames.ts";

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
  ['{"type":"exit","code":0}\n', "not like any frame", "exit"],
  ['{"type":"progress","value":2}\n', "not like any frame", "progress"],
  [`{"type":"result","result_content":${"[".repeat(66)}${"]".repeat(66)}}\n`, "nested deeper than 64 levels", "result"],
  [`${"[".repeat(1_000_000)}\n`, "not JSON", null],
  ['{"type":"output"', "torn: the channel closed within it", null],
])("%.30s is a fault, and says why", async (line, reason, frame_type) => {
  expect(await decode([Buffer.from(line)])).toEqual([{ type: "fault", reason, frame_type }]);
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
