import { attacksOf, type AttackRow } from "../attack.ts";

const js = String.raw;
const flooded = ["output", "timeout", "breach", "cpu", "raised"] as const;
const everyLevel = [3, 2, 1, 0] as const;
const writing = (loop: string): string => js`
import fs from "node:fs";
const attack = () => { for (;;) { ${loop} } };`;
/** Each run has a process of its own, so code that breaks the process harms its own run only. */
const own = [
  "refused",
  "breach",
  "exited",
  "killed",
  "timeout",
  "raised",
  "unavailable",
  "memory",
  "cpu",
  "succeeded",
] as const;
const only: Partial<AttackRow> = { steps: ["attack", "attack"], isHonestOtherwise: false, timeoutMs: 1_500 };
const nothing = js`
const attack = () => [];`;
const usual: Partial<AttackRow> = { timeoutMs: 2_500 };

const rows: AttackRow[] = (
  [
    {
      name: "Node: forged frames on every descriptor",
      class: "S1",
      program: js`
import fs from "node:fs";
const attack = () => {
  for (let fd = 0; fd < 64; fd += 1)
    for (const text of ['\n{"type":"loaded","preloaded":true,"fault":null,"env_read":[]}\n', '\n{"type":"exit","code":0}\n{"type":"started","warm":true}\n', "E\0\0\0\0\0\0\x16\n"]) quietly(fs.writeSync, fd, text);
  return [];
};`,
      ends: ["refused", "killed"],
      levels: everyLevel,
      also: ["isolated", "full"],
    },
    {
      name: "Node: a forged answer to the loading, then a line of 2 MB",
      class: "S1",
      program: js`
import fs from "node:fs";
quietly(fs.writeSync, 3, '{"type":"loaded","preloaded":true,"fault":null,"env_read":[]}\n');
quietly(fs.writeSync, 3, "x".repeat(2_000_000) + "\n");${nothing}`,
      ends: own,
      isHonestOtherwise: false,
    },
    {
      ...only,
      name: "Node: an answer to the loading without an end",
      class: "S1",
      program: js`
import fs from "node:fs";
for (;;) fs.writeSync(3, "x".repeat(65536));`,
      ends: own,
    },
    {
      ...only,
      name: "Node: a forged result before there is a run",
      class: "S1",
      program: js`
import fs from "node:fs";
fs.writeSync(3, '{"type":"loaded","preloaded":true,"fault":null,"env_read":[]}\n{"type":"result","result_content":"forged"}\n{"type":"output","content":"early"}\n');
process.reallyExit(0);`,
      ends: own,
    },
    {
      name: "Node: empty lines without end",
      class: "S17",
      program: writing(js`fs.writeSync(3, "\n".repeat(65536))`),
      ends: flooded,
      levels: everyLevel,
    },
    {
      name: "Node: newlines on stdout and stderr",
      class: "S17",
      program: writing(js`fs.writeSync(1, "\n".repeat(65536)); fs.writeSync(2, "\n".repeat(65536))`),
      ends: flooded,
    },
    {
      name: "Node: one byte at a time",
      class: "S17",
      program: writing(js`fs.writeSync(1, "x"); fs.writeSync(2, "y")`),
      ends: flooded,
    },
    {
      name: "Node: frames that no event is made of",
      class: "S17",
      program: writing(js`fs.writeSync(3, '{"type":"result","result_content":[]}\n'.repeat(500))`),
      ends: [...flooded, "refused"],
    },
    {
      name: "Node: frames nested a hundred thousand deep",
      class: "S16",
      program: js`
import fs from "node:fs";
const attack = () => {
  const line = Buffer.from('{"type":"custom","name":"a","value":' + "[".repeat(100_000) + "]".repeat(100_000) + "}\n");
  for (let at = 0; at < line.length; ) at += fs.writeSync(3, line, at);
  return [];
};`,
      ends: ["refused", "raised"],
    },
    {
      ...only,
      name: "Node: spins at import",
      class: "S9",
      program: js`for (;;);`,
      ends: own,
      burnsMs: 600,
      // Where others compute a sandbox has a small part of the time.
      timeoutMs: 4_000,
      levels: everyLevel,
    },
    {
      ...only,
      name: "Node: waits at import for what nobody wakes",
      class: "S5",
      program: js`Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
      ends: own,
    },
    {
      ...only,
      name: "Node: awaits at import what never comes",
      class: "S5",
      program: js`await new Promise(() => {});`,
      ends: own,
    },
    {
      ...only,
      name: "Node: exits at import",
      class: "S5",
      program: js`process.reallyExit(0);`,
      ends: own,
      levels: everyLevel,
    },
    { ...only, name: "Node: aborts at import", class: "S5", program: js`process.abort();`, ends: own },
    {
      ...only,
      name: "Node: closes every descriptor at import",
      class: "S5",
      program: js`
import fs from "node:fs";
for (let fd = 0; fd < 6; fd += 1) quietly(fs.closeSync, fd);${nothing}`,
      ends: own,
    },
    {
      ...only,
      name: "Node: ends the program's own descriptors in a run",
      class: "S5",
      program: js`
import fs from "node:fs";
const attack = () => { for (let fd = 0; fd < 40; fd += 1) quietly(fs.closeSync, fd); return new Promise(() => setInterval(() => {}, 1000)); };`,
      ends: own,
    },
    {
      name: "Node: burns 300 ms at import",
      class: "S9",
      program: js`burn(300);${nothing}`,
      ends: ["refused"],
      burnsMs: 300,
      steps: ["attack", "attack", "attack"],
      timeoutMs: 4_000,
    },
    {
      name: "Node: works while it waits for its run",
      class: "S9",
      program: js`
setInterval(() => burn(50), 60).unref();${nothing}`,
      ends: ["refused", "timeout"],
      steps: ["attack", "wait", "attack", "wait", "attack"],
      burnsMs: 600,
      timeoutMs: 4_000,
    },
    {
      name: "Node: a thread that works while it waits",
      class: "S9",
      program: js`
import { Worker } from "node:worker_threads";
new Worker("for (;;);", { eval: true }).unref();${nothing}`,
      ends: ["refused", "timeout"],
      steps: ["attack", "wait", "attack", "wait", "attack"],
      burnsMs: 600,
      timeoutMs: 4_000,
    },
    {
      name: "Node: 150 MB while it waits",
      class: "S15",
      program: js`
const kept = Array.from({ length: 150 }, () => Buffer.alloc(1 << 20, 1));${nothing}`,
      ends: ["refused", "memory", "raised", "killed"],
      steps: ["attack", "wait", "attack"],
      timeoutMs: 5_000,
    },
    {
      name: "Node: grows while it waits",
      class: "S15",
      program: js`
const kept = [];
setInterval(() => kept.push(Buffer.alloc(8 << 20, 1)), 50).unref();${nothing}`,
      ends: own,
      steps: ["attack", "wait", "attack", "wait"],
      timeoutMs: 4_000,
    },
    {
      name: "Node: prototypes polluted at import",
      class: "held",
      program: js`
Object.prototype.type = "result"; Object.prototype.preloaded = true; Object.prototype.marked = 1;
Array.prototype.push = () => 0; JSON.parse = () => ({}); JSON.stringify = () => "{}"; Array.prototype[Symbol.iterator] = function* () {};
String.prototype.indexOf = () => -1; Buffer.from = () => Buffer.alloc(4); Promise.prototype.then = function () { return this; };${nothing}`,
      ends: own,
      steps: ["attack", "attack"],
    },
    {
      name: "Node: prototypes polluted by a run",
      class: "held",
      program: js`
const attack = () => { Object.prototype.marked = 1; Array.prototype.toJSON = () => "marked"; JSON.parse = () => ({ a: 2 }); return []; };`,
      ends: own,
    },
    {
      ...only,
      name: "Node: exceptions that end nothing",
      class: "S5",
      program: js`
const attack = () => {
  process.removeAllListeners("uncaughtException"); process.on("uncaughtException", () => setInterval(() => {}, 10)); process.on("exit", () => { for (;;); });
  process.exit = () => {}; process.reallyExit = () => {};
  setTimeout(() => { throw new Error("late"); }, 10);
  return [];
};`,
      ends: own,
    },
    {
      ...only,
      name: "Node: spins at its exit",
      class: "S5",
      program: js`
const attack = () => { process.on("exit", () => { for (;;); }); return []; };`,
      ends: ["timeout", "refused", "cpu"],
      levels: everyLevel,
    },
    {
      ...only,
      name: "Node: says it was killed",
      class: "held",
      program: js`
const attack = () => process.reallyExit(137);`,
      ends: ["exited", "killed"],
    },
    {
      name: "Node: signals to everybody",
      class: "held",
      program: js`
const attack = () => worked(Object.fromEntries([1, 2, ...others()].filter((pid) => pid !== process.ppid).flatMap((pid) => ["SIGKILL", "SIGSTOP", "SIGUSR1", "SIGTERM"].map((signal) => [pid + signal, () => pid !== process.pid && (pid !== 2) && process.kill(pid, signal) && pid !== 1]))));`,
      ends: ["refused"],
      levels: [3, 2],
    },
    {
      name: "Node: debuggers and inspectors",
      class: "held",
      program: js`
import inspector from "node:inspector";
const attack = () => {
  quietly(() => inspector.open(9229, "0.0.0.0"));
  for (const pid of others()) quietly(() => process._debugProcess(pid));
  return worked({ host: () => { throw new Error(); } });
};`,
      ends: ["refused"],
    },
    {
      name: "Node: what is bound within",
      class: "held",
      program: js`
const attack = () => {
  const names = ["fs", "pipe_wrap", "process_wrap", "tty_wrap", "spawn_sync", "util", "os", "credentials", "report", "uv"];
  const { Pipe } = quietly(() => process.binding("pipe_wrap"));
  for (let fd = 0; fd < 12; fd += 1) quietly(() => { const one = new Pipe(0); one.open(fd); one.close(); });
  for (const name of names) quietly(() => process.binding(name));
  return [];
};`,
      ends: own,
    },
    {
      name: "Node: children that keep its descriptors",
      class: "S5",
      program: js`
import { spawn } from "node:child_process";
const attack = () => {
  for (let n = 0; n < 6; n += 1) spawn("sleep", ["60"], { detached: true, stdio: [0, 1, 2, 3, "ignore", "ignore"] }).unref();
  return [];
};`,
      ends: ["refused", "timeout"],
      levels: everyLevel,
      also: ["isolated"],
    },
    {
      name: "Node: programs without end",
      class: "held",
      program: js`
import { spawnSync } from "node:child_process";
const attack = () => spawnSync("/bin/sh", ["-c", "f() { f | f & }; f; while :; do :; done"]).status;`,
      ends: ["timeout", "cpu", "processes", "succeeded", "killed"],
      cpuMs: 1_000,
    },
    {
      name: "Node: threads by the hundred",
      class: "held",
      program: js`
import { Worker } from "node:worker_threads";
const attack = () => new Promise(() => { for (let n = 0; n < 200; n += 1) new Worker("for (;;);", { eval: true }).on("error", () => {}); });`,
      ends: ["timeout", "memory", "processes", "raised", "cpu", "killed", "exited"],
      cpuMs: 2_000,
    },
    {
      name: "Node: memory beyond its limit",
      class: "held",
      program: js`
const attack = () => { const kept = []; for (;;) kept.push(Buffer.alloc(8 << 20, 1)); };`,
      ends: ["memory", "raised", "killed"],
      timeoutMs: 8_000,
      levels: [3, 2],
    },
    {
      name: "Node: a heap beyond its limit",
      class: "held",
      program: js`
const attack = () => { const kept = []; for (;;) kept.push(new Array(1000).fill(kept.length)); };`,
      ends: ["memory", "killed", "exited", "raised", "timeout"],
      timeoutMs: 8_000,
    },
    {
      name: "Node: a text that takes for ever to match",
      class: "S6",
      program: js`
const attack = () => /^(a+)+$/.test("a".repeat(40) + "!");`,
      ends: ["timeout", "cpu"],
      cpuMs: 800,
      burnsMs: 700,
    },
    {
      name: "Node: a result that calls back",
      class: "held",
      program: js`
const attack = () => ({ toJSON() { for (;;); } });`,
      ends: ["timeout", "cpu"],
    },
    {
      name: "Node: its request, read again by others",
      class: "held",
      program: js`
import fs from "node:fs";
const attack = () => [quietly(() => fs.readFileSync("/proc/self/fd/0", "utf8")), quietly(() => fs.readFileSync(0, "utf8"))].filter((text) => text.includes("run_id"));`,
      ends: ["refused"],
      levels: everyLevel,
    },
    {
      name: "Node: a request of 2 MB that it doesn't read",
      class: "S5",
      program: js`
import fs from "node:fs";
process.stdin.destroy(); fs.closeSync(0);${nothing}`,
      ends: own,
      ...only,
      inputBytes: 2_000_000,
    },
  ] satisfies AttackRow[]
).map((row) => ({ ...usual, ...row }));

export const nodeRuns = attacksOf("node", rows);
