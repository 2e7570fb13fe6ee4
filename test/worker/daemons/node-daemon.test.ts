import { describe, expect, test } from "vitest";
import { copyTypeStripper } from "../../../worker/adapters/node/copy-type-stripper.ts";
import { DaemonLost } from "../../../worker/daemons/daemon-process.ts";
import { createNodeHost } from "../../../worker/daemons/node-host.ts";
import type { Sandbox } from "../../../worker/sandbox/sandbox.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { deliver, openMachine, resultOf, startDaemon } from "./play-daemon.ts";

const { level, directory } = await openMachine();
const start = (
  sandbox: Sandbox,
  source: string,
  entrypoint = "main.mjs",
  lifecycle: "daemon" | "interactive" = "daemon",
) =>
  startDaemon(
    createNodeHost(sandbox, { path: process.execPath, typeStripper: copyTypeStripper(directory) }),
    [entrypoint.split(":")[0] ?? "", source],
    { entrypoint, lifecycle },
  );

describe.each([0, -1])("at level index %i of those that this machine has", (index) => {
  test("messages are answered in one process that ends when it is asked to", async () => {
    const { daemon, ready, own, prints } = await start(
      level(index),
      `
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
console.log("loaded");
let count = 0;
export async function onMessage(input, context) {
  count += 1;
  console.log("for the run");
  context.progress(0.5, "half");
  const files = Object.fromEntries(Object.entries(context.files).map(([name, path]) => [name, readFileSync(path, "utf8")]));
  const stdin = await text(process.stdin) + execFileSync("cat").toString();
  return { count, colour: process.env.COLOUR, state: context.state, stdin, files, env: context.env.MINE ?? null };
}
`,
    );
    await ready;
    const first = await deliver(daemon, {}, { files: { "a/b.txt": "data:,hi%20there" }, env: { MINE: "x" } });
    expect(first.map(({ type }) => type)).toEqual(["started", "output", "progress", "result", "exit"]);
    const same = { colour: "blue", state: "kept", stdin: "" };
    expect(resultOf(first)).toEqual({ ...same, count: 1, files: { "a/b.txt": "hi there" }, env: "x" });
    expect(resultOf(await deliver(daemon, {}))).toEqual({ ...same, count: 2, files: {}, env: null });
    daemon.stop();
    expect(await daemon.exited).toMatchObject({ code: 0, signal: null });
    expect(prints.join("")).toBe("loaded\n");
    expect(own).toEqual([]);
  });

  test("a cancelled message ends at its next yield or with what obeys its signal, and the frames around it stay whole", async () => {
    const { daemon, ready } = await start(
      level(index),
      `
import { setTimeout as sleep } from "node:timers/promises";
export async function* onMessage(input, context) {
  for (let i = 0; i < input.n; i++) yield { i, pad: "x".repeat(20_000) };
  await sleep(input.sleep ?? 0, null, { signal: context.signal });
}
`,
    );
    await ready;
    for (let i = 0; i < 20; i++) {
      const abort = new AbortController();
      setTimeout(() => abort.abort(), i * 3);
      const frames = await deliver(daemon, { n: 200, sleep: 30_000 }, {}, abort.signal);
      expect(frames.some((frame) => frame.type === "log")).toBe(false);
      expect(frames.at(-2)).toMatchObject({ type: "error", error_type: "Cancelled" });
    }
    const types = (await deliver(daemon, { n: 3 })).map(({ type }) => type);
    expect(types).toEqual(["started", "output", "output", "output", "result", "exit"]);
    daemon.kill();
    await daemon.exited;
  });
});

test("a process that dies under a message says how; one that is deaf to a cancel is ended", async () => {
  const source = `export function onMessage({ deaf }) { if (!deaf) process.kill(process.pid, 9); for (;;); }`;
  const { daemon, ready } = await start(level(0), source);
  await ready;
  const error = await deliver(daemon, {}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DaemonLost);
  expect(error).toMatchObject({ exit: { signal: "SIGKILL" } });
  const deaf = await start(level(0), source);
  await deaf.ready;
  const frames = await deliver(deaf.daemon, { deaf: true }, {}, AbortSignal.timeout(100));
  expect(frames).toMatchObject([{ type: "started" }, { type: "exit", signal: "SIGKILL" }]);
});

test("errors and results that can't be sent are the message's, whoever throws them, and the daemon goes on", async () => {
  const { daemon, ready } = await start(
    level(0),
    `
export function onMessage({ how }) {
  if (how === "raise") throw new RangeError("no");
  if (how === "huge") return "x".repeat(13 << 20);
  if (how === "timer") return new Promise(() => setTimeout(() => { throw new TypeError("later"); }));
  if (how === "promise") return new Promise(() => void Promise.reject(new TypeError("nobody's")));
  return { fine: true };
}
`,
  );
  await ready;
  const errors = [];
  for (const how of ["raise", "huge", "timer", "promise"]) errors.push((await deliver(daemon, { how })).at(-2));
  expect(errors).toMatchObject([
    { type: "error", error_type: "RangeError", message: "no", traceback: expect.stringContaining("main.mjs:3") },
    { type: "error", error_type: "ResultTooLarge" },
    { type: "error", error_type: "TypeError", message: "later", traceback: expect.stringContaining("main.mjs:5") },
    { type: "error", error_type: "TypeError", message: "nobody's" },
  ]);
  expect(resultOf(await deliver(daemon, {}))).toEqual({ fine: true });
  daemon.kill();
  await daemon.exited;
});

test("process.exit() ends the message and the daemon", async () => {
  const source = "export function onMessage({ code }) { process.exit(code); }";
  for (const [code, last] of [
    [0, { type: "result", result_content: null }],
    [3, { type: "error", error_type: "Exit", message: "exit 3" }],
  ] as const) {
    const { daemon, ready } = await start(level(0), source);
    await ready;
    expect((await deliver(daemon, { code })).at(-2)).toMatchObject(last);
    expect(await daemon.exited).toMatchObject({ code });
  }
});

test("main runs beside onMessage: what it says is the daemon's own, and its error ends the daemon", async () => {
  const { daemon, ready, own, prints } = await start(
    level(0),
    `
import { emit, log, saveState } from "runfleet";
let go, told;
const going = new Promise((resolve) => (go = resolve));
const telling = new Promise((resolve) => (told = resolve));
export async function onMessage(input, context) {
  told();
  await new Promise(setImmediate);
  log("mine");
  setTimeout(() => console.log("after it"), 20);
  if (input.end) go();
  return { state: context.state };
}
export async function main(input, context) {
  saveState({ n: 1 });
  await telling;
  console.log("main, meanwhile");
  context.log("own");
  await going;
  throw new Error("main is over");
}
`,
  );
  await ready;
  const first = await deliver(daemon, {});
  expect(first.flatMap((frame) => (frame.type === "log" ? [frame.message] : []))).toEqual(["mine"]);
  expect(resultOf(first)).toEqual({ state: { n: 1 } });
  await waitFor(() => prints.join("").includes("after it"));
  expect(prints.join("")).toBe("main, meanwhile\nafter it\n");
  await deliver(daemon, { end: true }).catch(() => undefined);
  expect(await daemon.exited).toMatchObject({ code: 1 });
  expect(own).toMatchObject([
    { type: "state", state_snapshot: ' {"n":1}' },
    { type: "log", message: "own" },
    { type: "log", level: "error", message: expect.stringContaining("main is over") },
  ]);
});

test("a stop reaches a main that runs on: it may tidy up, and one that ignores it ends within a second", async () => {
  const { daemon, ready, prints } = await start(
    level(0),
    `
import { setTimeout as sleep } from "node:timers/promises";
export async function main(input, context) {
  console.log("up");
  try { await sleep(60_000, null, { signal: context.signal }); } finally { console.log("tidied"); }
}`,
  );
  await ready;
  await waitFor(() => prints.join("") === "up\n");
  daemon.stop();
  expect(await daemon.exited).toMatchObject({ code: 0 });
  expect(prints.join("")).toBe("up\ntidied\n");
  const deaf = await start(level(0), "export const main = () => new Promise(() => {}); export const onMessage = main;");
  await deaf.ready;
  deaf.daemon.stop();
  expect(await deaf.daemon.exited).toMatchObject({ code: 0 });
});

test("a main alone takes its messages itself: it answers, fails or leaves them, until it is asked to end", async () => {
  const { daemon, ready, prints } = await start(
    level(0),
    `
export async function serve(input: object, context: any): Promise<void> {
  for await (const message of context.messages()) {
    console.log("at", message.input.x);
    if (message.input.x === 1) message.reply({ one: message.context.state });
    if (message.input.x === 2) message.fail(new RangeError("two"));
  }
  console.log("done");
}`,
    "main.ts:serve",
  );
  await ready;
  const said = await deliver(daemon, { x: 1 });
  expect(said.map(({ type }) => type)).toEqual(["started", "output", "result", "exit"]);
  expect(resultOf(said)).toEqual({ one: "kept" });
  expect((await deliver(daemon, { x: 2 })).at(-2)).toMatchObject({ type: "error", error_type: "RangeError" });
  expect((await deliver(daemon, { x: 3 })).at(-2)).toMatchObject({ type: "result", result_content: null });
  daemon.stop();
  expect(await daemon.exited).toMatchObject({ code: 0 });
  expect(prints.join("")).toBe("done\n");
});

test("an agent with neither is handed each message as a run would be; code that can't be loaded ends the process and tells why", async () => {
  const plain = await start(level(0), "module.exports = { run: ({ text }) => text.toUpperCase() };", "main.cjs");
  await plain.ready;
  expect(resultOf(await deliver(plain.daemon, { text: "loud" }))).toBe("LOUD");
  plain.daemon.kill();
  await plain.daemon.exited;
  const broken = await start(level(0), "export function main( {\n");
  expect(await broken.daemon.exited).toMatchObject({ code: 1 });
  expect(broken.own).toMatchObject([{ type: "log", level: "error", message: expect.stringContaining("SyntaxError") }]);
  const empty = await start(level(0), "export const nothing = 1;");
  expect(await empty.daemon.exited).toMatchObject({ code: 1 });
  expect(empty.own).toMatchObject([{ message: expect.stringContaining("neither onMessage nor main") }]);
});

test("a thread's runs find what those before them left in memory, and neither their environment nor their answers", async () => {
  const { daemon, ready } = await start(
    level(0),
    `
import { context as now, interrupt } from "runfleet";
const words = [];
export async function* main(input, context) {
  if (input.ask) return interrupt("Which?");
  words.push(process.env.WORD);
  yield words.length;
  return { words, same: now.input.n === input.n, state: context.state, files: Object.keys(context.files) };
}`,
    "main.mjs",
    "interactive",
  );
  await ready;
  await deliver(daemon, { n: 1 }, { env: { WORD: "a" }, files: { "a.txt": "1" } });
  const second = await deliver(daemon, { n: 2 });
  expect(resultOf(second)).toEqual({ words: ["a", null], same: true, state: "", files: [] });
  expect((await deliver(daemon, { ask: 1 })).at(-2)).toMatchObject({ type: "interrupt", message: "Which?" });
  expect(resultOf(await deliver(daemon, { ask: 1 }, { answers: ["b"] }))).toBe("b");
  expect(resultOf(await deliver(daemon, { n: 3 }, { state_snapshot: "theirs" }))).toMatchObject({ state: "theirs" });
  daemon.kill();
  await daemon.exited;
});

test("what a thread's code sets in its environment stays with the thread", async () => {
  const source = 'process.env.MODE = "own";\nexport const main = () => [process.env.MODE, process.env.WORD];';
  const { daemon, ready } = await start(level(0), source, "main.mjs", "interactive");
  await ready;
  expect(resultOf(await deliver(daemon, { n: 1 }, { env: { WORD: "a" } }))).toEqual(["own", "a"]);
  expect(resultOf(await deliver(daemon, { n: 2 }))).toEqual(["own", null]);
  daemon.kill();
  await daemon.exited;
});

test("a thread's script without a main runs anew for each of its runs", async () => {
  const { daemon, ready } = await start(level(0), "console.log(process.env.WORD);", "main.mjs", "interactive");
  await ready;
  for (const WORD of ["one", "two"])
    expect(await deliver(daemon, {}, { env: { WORD } })).toContainEqual({ type: "output", content: `${WORD}\n` });
  daemon.kill();
  await daemon.exited;
});
