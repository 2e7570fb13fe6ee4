import { attacksOf, type AttackRow } from "../attack.ts";

const py = String.raw;
const js = String.raw;
/** `exited` is possible, too: a program that writes to a closed channel may end by itself before it is killed. */
const flooded = ["output", "timeout", "breach", "cpu", "killed", "exited"] as const;
/** A long-lived process keeps what its messages changed, so honest messages are only required to succeed. */
const usual: Partial<AttackRow> = { steps: ["attack", "attack"], isHonestOtherwise: false, timeoutMs: 1_500 };
const own = ["refused", "exited", "killed", "timeout", "raised", "memory", "cpu", "succeeded"] as const;
const whole = (rows: readonly AttackRow[]): AttackRow[] => rows.map((row) => ({ ...usual, ...row }));
const nothing = py`
def attack(input): return []`;

const inPython: AttackRow[] = whole([
  {
    name: "daemon: forges answers for others",
    class: "S1",
    program: py`
def attack(input):
    for to in ("null", '"run_1"', '"nobody"', '""', "7", '["run_1"]', '{"a":1}'):
        os.write(3, ('{"type":"result","to":%s,"result_content":"forged"}\n{"type":"ready"}\n' % to).encode())
    return []`,
    ends: ["refused", "succeeded", "killed"],
  },
  {
    name: "daemon: ready without end",
    class: "S17",
    program: py`
def attack(input):
    while True: os.write(3, b'{"type":"ready"}\n' * 1000)`,
    ends: flooded,
  },
  {
    name: "daemon: frames of its own without end",
    class: "S17",
    program: py`
def attack(input):
    while True: os.write(3, b'{"type":"log","to":null,"level":"info","stream":"agent","message":"x"}\n' * 500)`,
    ends: flooded,
  },
  {
    name: "daemon: frames for nobody without end",
    class: "S17",
    program: py`
def attack(input):
    while True: os.write(3, b'{"type":"output","to":"nobody","content":"x"}\n' * 500)`,
    ends: flooded,
  },
  {
    name: "daemon: empty lines without end",
    class: "S17",
    program: py`
def attack(input):
    while True: os.write(3, b"\n" * 65536)`,
    ends: flooded,
  },
  {
    name: "daemon: prints without end",
    class: "S17",
    program: py`
def attack(input):
    while True: os.write(1, b"y\n" * 30000); os.write(2, b"n\n" * 30000)`,
    ends: flooded,
  },
  {
    name: "daemon: spins with a message, deaf to its cancel",
    class: "S5",
    program: py`
def attack(input):
    signal.signal(signal.SIGINT, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True: pass`,
    ends: ["timeout", "killed"],
    levels: [3, 2, 1, 0],
  },
  {
    name: "daemon: catches its cancel again and again",
    class: "S5",
    program: py`
def attack(input):
    while True:
        try: time.sleep(60)
        except BaseException: pass`,
    ends: ["timeout", "killed"],
  },
  {
    name: "daemon: stops itself",
    class: "S5",
    program: py`
def attack(input): os.kill(os.getpid(), signal.SIGSTOP)`,
    ends: ["timeout", "killed"],
    levels: [3, 2, 1, 0],
  },
  {
    name: "daemon: burns between its messages",
    class: "S9",
    program: py`
import threading
threading.Thread(target=lambda: burn(0.6), daemon=True).start()${nothing}`,
    ends: own,
    steps: ["attack", "wait", "attack"],
    burnsMs: 600,
  },
  {
    name: "daemon: burns in children between its messages",
    class: "S9",
    program: py`
def attack(input):
    if os.fork() == 0: burn(0.5); os._exit(0)
    return []`,
    ends: ["refused"],
    steps: ["attack", "wait", "attack"],
    burnsMs: 500,
  },
  {
    name: "daemon: exits under a message",
    class: "held",
    program: py`
def attack(input): os._exit(0)`,
    ends: ["exited", "killed"],
  },
  {
    name: "daemon: closes all",
    class: "S5",
    program: py`
def attack(input): os.closerange(0, 1024); time.sleep(60)`,
    ends: ["timeout", "exited", "killed"],
    levels: [3, 2, 1, 0],
  },
  {
    name: "daemon: reads no command",
    class: "S5",
    program: py`
import threading
for fd in range(4, 20): quietly(os.close, fd)${nothing}`,
    ends: own,
    inputBytes: 2_000_000,
  },
  { name: "daemon: loads for ever", class: "S5", program: py`time.sleep(60)`, ends: ["timeout", "killed"] },
  {
    name: "daemon: memory beyond its limit",
    class: "held",
    program: py`
def attack(input):
    kept = []
    while True: kept.append(bytearray(b"x" * (8 << 20)))`,
    ends: ["memory", "raised", "killed", "timeout"],
    timeoutMs: 4_000,
  },
  {
    name: "daemon: two endings for a message",
    class: "held",
    program: py`
def attack(input):
    for run in range(2000): os.write(3, ('{"type":"result","to":"run_%d","result_content":[]}\n' % run).encode())
    return "late"`,
    ends: ["refused", "succeeded"],
  },
]);

const inNode: AttackRow[] = whole([
  {
    name: "Node daemon: forges answers for others",
    class: "S1",
    program: js`
import fs from "node:fs";
const attack = () => { for (const to of ["null", '"run_1"', '""', "7", "[]"]) fs.writeSync(3, '{"type":"result","to":' + to + ',"result_content":"forged"}\n{"type":"ready"}\n'); return []; };`,
    ends: ["refused", "succeeded", "killed"],
    timeoutMs: 2_500,
  },
  {
    name: "Node daemon: empty lines without end",
    class: "S17",
    program: js`
import fs from "node:fs";
const attack = () => { for (;;) fs.writeSync(3, "\n".repeat(65536)); };`,
    ends: flooded,
    timeoutMs: 2_500,
  },
  {
    name: "Node daemon: frames for nobody without end",
    class: "S17",
    program: js`
import fs from "node:fs";
const attack = () => { for (;;) fs.writeSync(3, '{"type":"output","to":"nobody","content":"x"}\n'.repeat(500)); };`,
    ends: flooded,
    timeoutMs: 2_500,
  },
  {
    name: "Node daemon: spins with a message",
    class: "S5",
    program: js`
const attack = () => { for (;;); };`,
    ends: ["timeout", "killed"],
    timeoutMs: 2_500,
    levels: [3, 2, 1, 0],
  },
  {
    name: "Node daemon: burns between its messages",
    class: "S9",
    program: js`
setTimeout(() => burn(500), 100);
const attack = () => [];`,
    ends: own,
    steps: ["attack", "wait", "attack"],
    burnsMs: 500,
    timeoutMs: 2_500,
  },
  {
    name: "Node daemon: never ready",
    class: "S5",
    program: js`await new Promise(() => setInterval(() => {}, 1000));`,
    ends: ["timeout", "killed"],
    timeoutMs: 2_500,
  },
  {
    name: "Node daemon: handlers that never end",
    class: "S5",
    program: js`
const attack = () => { process.removeAllListeners(); process.on("SIGTERM", () => {}); process.exit = () => {}; throw new Error("on"); };`,
    ends: own,
    timeoutMs: 2_500,
  },
  {
    name: "Node daemon: exits under a message",
    class: "held",
    program: js`
const attack = () => process.reallyExit(0);`,
    ends: ["exited", "killed"],
    timeoutMs: 2_500,
  },
]);

const threadsInPython: AttackRow[] = whole([
  {
    name: "thread: forges the next run's answer",
    class: "S1",
    program: py`
def attack(input):
    for run in range(3000): os.write(3, ('{"type":"result","to":"run_%d","result_content":"forged"}\n' % run).encode())
    return []`,
    ends: ["refused", "succeeded"],
  },
  {
    name: "thread: spins when it has no run",
    class: "S9",
    program: py`
import threading
def spin():
    while True: pass
threading.Thread(target=spin, daemon=True).start()${nothing}`,
    ends: own,
    steps: ["attack", "wait", "attack"],
    burnsMs: 300,
  },
  {
    name: "thread: deaf to its cancel",
    class: "S5",
    program: py`
def attack(input):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True: pass`,
    ends: ["timeout", "killed"],
    levels: [3, 2, 1, 0],
  },
  {
    name: "thread: fills its own pipes of print",
    class: "S5",
    program: py`
def attack(input):
    while True: os.write(1, b"x" * 65536); os.write(2, b"y" * 65536)`,
    ends: flooded,
  },
  {
    name: "thread: empty lines without end",
    class: "S17",
    program: py`
def attack(input):
    while True: os.write(3, b"\n" * 65536)`,
    ends: flooded,
  },
  {
    name: "thread: stops itself",
    class: "S5",
    program: py`
def attack(input): os.kill(0, signal.SIGSTOP)`,
    ends: ["timeout", "killed"],
  },
  {
    name: "thread: a child that keeps its channel",
    class: "S5",
    program: py`
def attack(input):
    if os.fork() == 0: os.setsid(); time.sleep(60)
    os._exit(0)`,
    ends: ["exited", "killed", "timeout"],
  },
  {
    name: "thread: says that it is ready, and loads for ever",
    class: "S5",
    program: py`
os.write(3, b'{"type":"ready"}\n' * 5); time.sleep(60)`,
    ends: ["timeout", "killed"],
  },
]);

const threadsInNode: AttackRow[] = whole([
  {
    name: "Node thread: spins",
    class: "S5",
    program: js`
const attack = () => { for (;;); };`,
    ends: ["timeout", "killed"],
    timeoutMs: 2_500,
  },
  {
    name: "Node thread: burns when it has no run",
    class: "S9",
    program: js`
const attack = () => { setTimeout(() => burn(500), 50); return []; };`,
    ends: own,
    steps: ["attack", "wait", "attack"],
    burnsMs: 500,
    timeoutMs: 2_500,
  },
  {
    name: "Node thread: frames for others without end",
    class: "S17",
    program: js`
import fs from "node:fs";
const attack = () => { for (;;) fs.writeSync(3, '{"type":"result","to":"run_0","result_content":1}\n'.repeat(500)); };`,
    ends: flooded,
    timeoutMs: 2_500,
  },
]);

export const staying = [
  ...attacksOf("python daemon", inPython),
  ...attacksOf("node daemon", inNode),
  ...attacksOf("python interactive", threadsInPython),
  ...attacksOf("node interactive", threadsInNode),
];
