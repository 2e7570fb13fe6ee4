import { expect, test } from "vitest";
import { toJson } from "../../../runtime/node/channel.mjs";
import { runModule } from "./run-module.ts";

test.each([
  ["bytes", new Uint8Array([255, 0]), { $bytes: "/wA=" }],
  ["a map and a set", { map: new Map([["a", 1]]), set: new Set([1, [2]]) }, { map: { a: 1 }, set: [1, [2]] }],
  ["buffers", [Buffer.from([255]), new Uint8Array([1]).buffer], [{ $bytes: "/w==" }, { $bytes: "AQ==" }]],
  ["arrays of numbers", [new Float32Array([1.5, Number.NaN]), new BigInt64Array([2n])], [[1.5, null], [2]]],
  ["headers and a query", [new Headers({ a: "b" }), new URLSearchParams("c=d")], [{ a: "b" }, { c: "d" }]],
  [
    "iterators",
    { made: [1, 2].values(), own: { [Symbol.iterator]: () => ["a"].values() } },
    { made: [1, 2], own: ["a"] },
  ],
  ["an expression", [/a/g], ["/a/g"]],
  ["an error", [new TypeError("bad")], [{ name: "TypeError", message: "bad" }]],
  ["integers of any size", [5n, 2n ** 70n], [5, "1180591620717411303424"]],
  ["NaN and infinities", [Number.NaN, Infinity], [null, null]],
  ["a symbol", [Symbol("a")], ["Symbol(a)"]],
  ["a date", [new Date(0)], ["1970-01-01T00:00:00.000Z"]],
  ["nothing", undefined, null],
])("%s become the nearest that JSON has", (_name, value, expected) => {
  expect(JSON.parse(toJson(value))).toEqual(expected);
});

test("a value within itself becomes a note; the same value twice side by side is sent twice", () => {
  const twin = { a: 1 };
  const loop: unknown[] = [twin, twin];
  loop.push(loop, { deep: [loop] });
  expect(JSON.parse(toJson(loop))).toEqual([twin, twin, "<circular>", { deep: ["<circular>"] }]);
});

test("a map, a set and what its own toJSON makes may hold themselves", () => {
  const map = new Map<string, unknown>([["a", 1]]);
  map.set("self", map);
  const set = new Set<unknown>([map]);
  set.add(set);
  const made = { toJSON: () => ({ made }) };
  expect(JSON.parse(toJson([map, set, made, map]))).toEqual([
    { a: 1, self: "<circular>" },
    [{ a: 1, self: "<circular>" }, "<circular>"],
    { made: "<circular>" },
    { a: 1, self: "<circular>" },
  ]);
});

test("bytes that are written piece by piece are one text, wherever they are cut", async () => {
  const { frames } = await runModule(
    "channel",
    `module.captureOutput();
     const bytes = Buffer.from("a€b");
     for (const byte of bytes) process.stdout.write(Buffer.from([byte]));
     console.error("own");
     console.log("after");`,
  );
  const said = frames.filter(({ type }) => type === "output").map(({ content }) => content);
  expect(said.join("")).toBe("a€bafter\n");
});

test("a frame is one line of JSON, after what was printed before it, and in order with what is printed after it", async () => {
  const { frames, stdout } = await runModule(
    "channel",
    `module.captureOutput();
     process.stdout.write("a\\nb");
     console.error("trouble %d", 1);
     module.sendOutput({ text: "two\\nlines" });
     console.log("after");`,
  );
  expect(frames.map(({ type, content, message }) => [type, content ?? message])).toEqual([
    ["output", "a\nb"],
    ["log", "trouble 1"],
    ["output", { text: "two\nlines" }],
    ["output", "after\n"],
  ]);
  expect(stdout).toBe("");
});

test("what no message prints goes to the daemon's log", async () => {
  const { frames, stdout } = await runModule(
    "channel",
    `let run = null;
     module.channel.currentRunId = () => run;
     module.captureOutput();
     console.log("own");
     run = "1";
     console.log("message's");`,
  );
  expect(stdout).toBe("own\n");
  expect(frames).toEqual([{ type: "output", to: "1", content: "message's\n" }]);
});

test("a frame that is longer than the worker reads isn't written, and says what it was", async () => {
  const { frames } = await runModule(
    "channel",
    `const long = "a".repeat(12 * 1024 * 1024);
     const written = module.writeFrame("output", { content: long });
     const names = ["artifact", "custom"].map((type) => { try { module.send(type, { value: long }); } catch (e) { return e.name; } });
     const endedWell = module.writeEnding({ type: "result", result_content: long });
     module.writeFrame("custom", { value: [written, names, endedWell] });`,
  );
  expect(frames).toMatchObject([
    { type: "error", error_type: "ResultTooLarge" },
    { type: "custom", value: [false, ["ArtifactTooLarge", "EventTooLarge"], false] },
  ]);
});

test("long output is sent as frames of 1 Mi characters, whole though the pipe is full", async () => {
  const { frames } = await runModule(
    "channel",
    `module.captureOutput();
     process.stdout.write("a".repeat(1 << 20) + "b");`,
  );
  expect(frames.map(({ content }) => String(content).length)).toEqual([1 << 20, 1]);
});

test("frames are held while code is loaded ahead, and dropped after the last one", async () => {
  const { frames } = await runModule(
    "channel",
    `module.channel.heldFrames = [];
     module.sendOutput("held");
     const held = module.channel.heldFrames;
     module.channel.heldFrames = null;
     module.sendOutput(held);
     module.channel.isClosed = true;
     module.sendOutput("late");`,
  );
  expect(frames.map(({ content }) => content)).toEqual([["output"]]);
});
