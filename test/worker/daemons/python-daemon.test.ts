import { describe, expect, test } from "vitest";
import { DaemonLost } from "../../../worker/daemons/daemon-process.ts";
import { createPythonHost } from "../../../worker/daemons/python-host.ts";
import type { Sandbox } from "../../../worker/sandbox/sandbox.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { deliver, openMachine, resultOf, startDaemon } from "./play-daemon.ts";
import { py } from "../../harness/py.ts";

const { level, python } = await openMachine();

const start = (sandbox: Sandbox, source: string, entrypoint = "main.py") =>
  startDaemon(createPythonHost(sandbox, python), ["main.py", source], { entrypoint });

describe.each([0, -1])("at level index %i of those that this machine has", (index) => {
  test("messages are answered in one process that ends when it is asked to", async () => {
    const { daemon, ready, own, prints } = await start(
      level(index),
      py`
        import os, subprocess, sys
        print("loaded")
        count = 0
        async def on_message(input, context):
            global count
            count += 1
            print("for the run")
            context.progress(0.5, "half")
            return {"count": count, "colour": os.environ["COLOUR"], "state": context.state, "stdin": subprocess.run(["cat"], capture_output=True).stdout.decode(),
                    "files": {name: open(path).read() for name, path in context.files.items()}, "env": context.env.get("MINE")}
      `,
    );
    await ready;
    const first = await deliver(daemon, {}, { files: { "a/b.txt": "data:,hi%20there" }, env: { MINE: "x" } });
    expect(first.map(({ type }) => type)).toEqual(["started", "output", "progress", "result", "exit"]);
    expect(resultOf(first)).toEqual({
      count: 1,
      colour: "blue",
      state: "kept",
      stdin: "",
      files: { "a/b.txt": "hi there" },
      env: "x",
    });
    expect(resultOf(await deliver(daemon, {}))).toMatchObject({ count: 2, files: {}, env: null });
    daemon.stop();
    expect(await daemon.exited).toMatchObject({ code: 0, signal: null });
    expect(prints.join("")).toBe("loaded\n");
    expect(own).toEqual([]);
  });

  test("a cancelled message ends within its yields and sleeps, and the frames around it stay whole", async () => {
    const { daemon, ready } = await start(
      level(index),
      py`
        import time
        def on_message(input, context):
            for i in range(input["n"]):
                yield {"i": i, "pad": "x" * 20_000}
            time.sleep(input.get("sleep", 0))
      `,
    );
    await ready;
    for (let i = 0; i < 20; i++) {
      const abort = new AbortController();
      setTimeout(() => abort.abort(), i * 3);
      const frames = await deliver(daemon, { n: 200, sleep: 30 }, {}, abort.signal);
      expect(frames.some((frame) => frame.type === "log")).toBe(false);
      expect(frames.at(-2)).toMatchObject({ type: "error", error_type: "Cancelled" });
    }
    expect((await deliver(daemon, { n: 3 })).map(({ type }) => type)).toEqual([
      "started",
      "output",
      "output",
      "output",
      "result",
      "exit",
    ]);
    daemon.kill();
    await daemon.exited;
  });
});

test("a message that comes while the code is loaded is read when that is done", async () => {
  const { daemon } = await start(
    level(0),
    py`
      def on_message(input):
          return input
    `,
  );
  expect(resultOf(await deliver(daemon, { n: 1 }))).toEqual({ n: 1 });
  daemon.kill();
  await daemon.exited;
});

test("a process that dies under a message says how", async () => {
  const { daemon, ready } = await start(
    level(0),
    py`
      import os
      def on_message(input):
          os.kill(os.getpid(), 9)
    `,
  );
  await ready;
  const error = await deliver(daemon, {}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DaemonLost);
  expect(error).toMatchObject({ exit: { signal: "SIGKILL" } });
});

test("errors and results that can't be sent are the message's, and the daemon goes on", async () => {
  const { daemon, ready } = await start(
    level(0),
    py`
      import sys
      def on_message(input):
          if input["how"] == "raise": raise ValueError("no")
          if input["how"] == "exit": sys.exit(3)
          if input["how"] == "huge": return "x" * (13 << 20)
          return {"fine": True}
    `,
  );
  await ready;
  const errors = [];
  for (const how of ["raise", "exit", "huge"]) errors.push((await deliver(daemon, { how })).at(-2));
  expect(errors).toMatchObject([
    { type: "error", error_type: "ValueError", message: "no", traceback: expect.stringContaining("main.py") },
    { type: "error", error_type: "SystemExit" },
    { type: "error", error_type: "ResultTooLarge" },
  ]);
  expect(resultOf(await deliver(daemon, { how: "" }))).toEqual({ fine: true });
  daemon.kill();
  await daemon.exited;
});

test("main runs beside on_message: what it says is the daemon's own, and its error ends the daemon", async () => {
  const { daemon, ready, own } = await start(
    level(0),
    py`
      import threading
      go = threading.Event()
      def on_message(input, context):
          context.log("mine")
          if input.get("end"): go.set()
          return {}
      def main(input, context):
          context.log("own")
          context.save_state({"n": 1})
          go.wait()
          raise RuntimeError("main is over")
    `,
  );
  await ready;
  const logs = (await deliver(daemon, {})).flatMap((frame) => (frame.type === "log" ? [frame.message] : []));
  expect(logs).toEqual(["mine"]);
  await deliver(daemon, { end: true }).catch(() => undefined);
  expect(await daemon.exited).toMatchObject({ code: 1 });
  expect(own).toMatchObject([
    { type: "log", message: "own" },
    { type: "state", state_snapshot: ' {"n":1}' },
    { type: "log", level: "error", message: expect.stringContaining("main is over") },
  ]);
});

test("a question that can't be used ends its message and says why, and the daemon goes on", async () => {
  const { daemon, ready } = await start(
    level(0),
    py`
      def on_message(input, context):
          return context.interrupt("When?", expires_in_ms=input["ms"])
    `,
  );
  await ready;
  expect((await deliver(daemon, { ms: 0 })).at(-2)).toMatchObject({
    type: "error",
    error_type: "InvalidQuestion",
    message: expect.stringMatching(/^The question can't be used: `expires_in_ms` is wrong/),
  });
  expect((await deliver(daemon, { ms: 5 })).at(-2)).toMatchObject({ type: "interrupt" });
  daemon.kill();
  await daemon.exited;
});

test("an ending that the code itself writes, to nobody, ends no message", async () => {
  const { daemon, ready } = await start(
    level(0),
    py`
      import os
      def on_message(input, context):
          for to in ("7", '["run_1"]', '{"a":1}', "null", '""'):
              os.write(3, ('{"type":"result","to":%s,"result_content":"forged"}\n' % to).encode())
          os.write(3, b'{"type":"result","result_content":"forged"}\n')
          return "own"
    `,
  );
  await ready;
  expect((await deliver(daemon, {})).at(-2)).toMatchObject({ type: "result", result_content: "own" });
  daemon.kill();
  await daemon.exited;
});

test("what a thread sends in a process that stays for an agent's runs is the run's", async () => {
  const { daemon, ready, own } = await startDaemon(
    createPythonHost(level(0), python),
    [
      "main.py",
      py`
        import threading
        def work(context, n):
            print("printed", n)
            context.save_state({"n": n})
            context.usage(input_tokens=n)
            context.artifact("a.txt", "x")
        def main(input, context):
            thread = threading.Thread(target=work, args=(context, input["n"]))
            thread.start()
            thread.join()
      `,
    ],
    { lifecycle: "interactive" },
  );
  await ready;
  for (const n of [1, 2])
    expect(await deliver(daemon, { n })).toMatchObject([
      { type: "started" },
      { type: "output", content: `printed ${n}\n` },
      { type: "state", state_snapshot: ` {"n":${n}}` },
      { type: "usage", input_tokens: n },
      { type: "artifact", name: "a.txt" },
      { type: "result" },
      { type: "exit" },
    ]);
  expect(own).toEqual([]);
  daemon.kill();
  await daemon.exited;
});

test("a script that does nothing but end says so", async () => {
  const { daemon, ready, own } = await start(level(0), "x = 1\n");
  await ready;
  expect(await daemon.exited).toMatchObject({ code: 0 });
  expect(own).toMatchObject([{ type: "log", message: expect.stringContaining("neither on_message nor main") }]);
});

test("a stop reaches a main that runs on: its finally blocks run", async () => {
  const source = py`
    import time
    def main(input, context):
        try:
            print('up')
            time.sleep(60)
        finally:
            print('tidied')
  `;
  const { daemon, ready, prints } = await start(level(0), source);
  await ready;
  await waitFor(() => prints.join("") === "up\n");
  daemon.stop();
  expect(await daemon.exited).toMatchObject({ code: 0 });
  expect(prints.join("")).toBe("up\ntidied\n");
});

test("an agent with neither is handed each message as a run would be; a named entrypoint is main", async () => {
  const plain = await start(
    level(0),
    py`
      def predict(input):
          return input['text'].upper()
    `,
  );
  await plain.ready;
  expect(resultOf(await deliver(plain.daemon, { text: "loud" }))).toBe("LOUD");
  plain.daemon.kill();
  const named = await start(
    level(0),
    py`
      def serve(input, context):
          for m in context.messages(): m.reply(m.input['x'])
    `,
    "main.py:serve",
  );
  await named.ready;
  expect(resultOf(await deliver(named.daemon, { x: 7 }))).toBe(7);
  named.daemon.kill();
  await Promise.all([plain.daemon.exited, named.daemon.exited]);
});

test("code that can't be loaded ends the process and tells why", async () => {
  const { daemon, own } = await start(level(0), "def main(:\n");
  expect(await daemon.exited).toMatchObject({ code: 1 });
  expect(own).toMatchObject([{ type: "log", level: "error", message: expect.stringContaining("SyntaxError") }]);
});
