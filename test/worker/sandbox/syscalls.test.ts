import { existsSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { codeRangeBytes } from "../../../worker/adapters/node/node-command.ts";
import { judgedCalls, refusedCalls } from "../../../worker/sandbox/allowed-syscalls.ts";
import { openLevels } from "./open-levels.ts";
import { runInside } from "./run-inside.ts";
import { py } from "../../harness/py.ts";

const machine = await openLevels();
afterAll(() => machine.close());
const confined = machine.levels.filter(({ report }) => report.layers.includes("seccomp"));
const arch = process.arch === "arm64" ? "arm64" : "x64";

/** Makes calls by number with zeros as arguments, and prints the errno of each. */
const caller = py`
  import ctypes, json, sys
  libc = ctypes.CDLL(None, use_errno=True)
  def errno_of(number, *args):
      ctypes.set_errno(0)
      return ctypes.get_errno() if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, args)) == -1 else 0
  print(json.dumps([errno_of(*call) for call in json.load(sys.stdin)]))
`;

const everyday = py`
  import asyncio, concurrent.futures, hashlib, json, multiprocessing, os, resource, socket, sqlite3, ssl, subprocess, tempfile, threading, time
  def square(x): return x * x
  os.nice(1)
  resource.setrlimit(resource.RLIMIT_NOFILE, (512, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
  os.sched_setaffinity(0, os.sched_getaffinity(0))
  with concurrent.futures.ThreadPoolExecutor(8) as pool: assert list(pool.map(square, range(20))) == [x * x for x in range(20)]
  # No Pool: its semaphores need /dev/shm, which Landlock doesn't open.
  mine, its = multiprocessing.Pipe()
  child = multiprocessing.get_context("fork").Process(target=lambda: its.send(square(3)))
  child.start(); assert mine.recv() == 9; child.join()
  async def ask():
      process = await asyncio.create_subprocess_exec("/bin/echo", "hi", stdout=subprocess.PIPE)
      return (await process.communicate())[0]
  assert asyncio.run(ask()) == b"hi\n"
  with tempfile.TemporaryDirectory() as folder:
      db = sqlite3.connect(folder + "/db")
      db.execute("PRAGMA journal_mode=WAL")
      with db: db.execute("CREATE TABLE t(x)"); db.execute("INSERT INTO t VALUES (42)")
      assert db.execute("SELECT x FROM t").fetchone() == (42,)
      os.mkfifo(folder + "/fifo"); os.chmod(folder, 0o700); os.utime(folder)
  ssl.create_default_context(); hashlib.scrypt(b"x", salt=b"y", n=1024, r=8, p=1)
  one, other = socket.socketpair(); one.send(b"x"); assert other.recv(1) == b"x"
  threading.Timer(0.01, lambda: None).start(); time.sleep(0.02)
  print("fine")
`;

const nodeProgram = `
const { Worker } = require("node:worker_threads"), fs = require("node:fs"), { execFileSync } = require("node:child_process");
const crypto = require("node:crypto"), os = require("node:os");
os.setPriority(Math.min(19, os.getPriority() + 1));
fs.promises.writeFile("f", "x").then(() => fs.promises.readFile("f", "utf8")).then((text) => {
  execFileSync("/bin/echo", ["hi"]); crypto.scryptSync("x", "y", 32);
  new Worker("require('node:worker_threads').parentPort.postMessage(1)", { eval: true }).once("message", () => console.log(text === "x" ? "fine" : "odd"));
});`;

const programs: { name: string; argv: [string, ...string[]]; node?: true }[] = [
  { name: "Python", argv: [machine.python.path, "-I", "-c", everyday] },
  {
    name: "Node",
    argv: ["/usr/bin/env", "OPENSSL_CONF=/dev/null", process.execPath, "-e", nodeProgram],
    node: true,
  },
  {
    name: "bash",
    argv: [
      "/bin/bash",
      "--norc",
      "-c",
      "x=$(echo a | tr a b); (sleep 0.01 & wait); ulimit -n 256; trap : USR1; kill -USR1 $$; [ $x = b ] && echo fine",
    ],
  },
  {
    name: "git",
    argv: [
      "/bin/sh",
      "-c",
      "export GIT_CONFIG_NOSYSTEM=1; git init -q r && cd r && echo x > f && git add f && git -c user.name=a -c user.email=a@b commit -qm fine && git gc -q && git clone -q . ../c && git -C ../c log --format=%s",
    ],
  },
  { name: "curl", argv: ["/bin/sh", "-c", "echo fine > f && curl -s file://$PWD/f"] },
  {
    name: "OpenSSL",
    argv: [
      "/bin/sh",
      "-c",
      "export OPENSSL_CONF=/dev/null; openssl genpkey -algorithm ed25519 -out k && openssl pkey -in k -noout && echo fine",
    ],
  },
];
const has = (file: string) => ["/usr/bin/", "/bin/"].some((folder) => existsSync(folder + file));
const needs: Record<string, string> = { git: "git", curl: "curl", OpenSSL: "openssl", bash: "bash" };

describe.each(confined.map((sandbox) => ({ sandbox, name: `${sandbox.report.level}, ${sandbox.report.name}` })))(
  "level $name",
  ({ sandbox }) => {
    const ask = async (calls: number[][]): Promise<number[]> => {
      const { out, err } = await runInside(sandbox, [machine.python.path, "-I", "-S", "-c", caller], {
        stdin: JSON.stringify(calls),
      });
      if (!out) throw new Error(err);
      return JSON.parse(out) as number[];
    };

    test("each dangerous call is refused, and one of a later kernel is not there", async () => {
      const listed = refusedCalls.flatMap(({ calls }) => calls).filter((call) => call[arch] !== null);
      const unheard = [435, 468, 500, 600, 1000];
      const answers = await ask([...listed.map((call) => [call[arch] ?? -1]), ...unheard.map((number) => [number])]);
      expect(listed.map(({ name }, index) => [name, answers[index]])).toEqual(listed.map(({ name }) => [name, 1]));
      expect(answers.slice(listed.length)).toEqual(unheard.map(() => 38));
    });

    test("nobody else's limits, priority and scheduling can be set or its limits read", async () => {
      const number = (name: string) => judgedCalls.find((call) => call.name === name)?.[arch] ?? -1;
      const other = 1;
      const calls = [
        [number("prlimit64"), other, 0, 0, 0],
        [number("setpriority"), 0, other, 19],
        [number("setpriority"), 2, 0, 19],
        [number("ioprio_set"), 1, other, 0],
        [number("socketpair"), 30, 1, 0, 0],
        [number("prctl"), 62, 0, 0, 0],
      ];
      expect(await ask(calls)).toEqual(calls.map(() => 1));
    });

    test.each(programs.filter(({ name }) => !(name in needs) || has(needs[name] ?? "")))(
      "$name runs as it does elsewhere",
      async ({ argv, node }) => {
        const { out, err } = await runInside(
          sandbox,
          argv,
          node && { readOnly: [process.execPath], reservedBytes: codeRangeBytes },
        );
        expect({ out, err }).toEqual({ out: "fine\n", err: "" });
      },
    );
  },
);
