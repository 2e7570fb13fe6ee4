import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { inOrder, raises, runAgent } from "../../cli/rehearse/testing.ts";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

// Each agent and each command is a process of its own.
vi.setConfig({ testTimeout: 90_000 });

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync("/var/tmp/runfleet-rehearsal-");
afterAll(() => rmSync(folder, { recursive: true }));
const stack = await useTestStack();
const { url } = await stack.startService();

type Ran = { code: number | null; out: string; err: string };

function start(command: string, args: string[], { env = {}, stdin = "" } = {}): Promise<Ran> {
  const path = { PATH: process.env["PATH"], HOME: folder, RUNFLEET_URL: url };
  const child = spawn(command, args, { cwd: folder, env: { ...path, ...env } });
  child.stdin.end(stdin);
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...said })));
}
const cli = join(root, "dist/cli/main.js");
const runfleet = (args: string[], stdin = "") => start(process.execPath, [cli, ...args], { stdin });

/** Writes an agent's folder, and returns its path. */
function write(name: string, files: Record<string, string>): string {
  const at = join(folder, name);
  mkdirSync(at, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(at, file), text);
  return at;
}

/** Does the same in both languages: a step that is tried again, a week's sleep, signals, messages and a question. */
const orders = {
  "main.py": py`
    from runfleet import context, SignalTimeout

    def charge(total):
        raise RuntimeError("really charged")

    def main(order, context):
        print("begin")
        start = context.now()
        receipt = context.step("charge", charge, order["total"], retry={"max_attempts": 3, "delay_ms": 60_000})
        context.sleep(7 * 86_400)
        paid = context.wait_for("paid", timeout=86_400)
        try:
            context.wait_for("never", timeout=3600)
        except SignalTimeout as error:
            late = str(error)
        said = context.new_messages()
        answer = context.interrupt("Ship it?")
        return {"receipt": receipt, "paid": paid, "late": late, "said": said, "answer": answer,
                "days": (context.now() - start).days}
  `,
  "main.mjs": `
    export async function main(order, context) {
      process.stdout.write("begin\\n");
      const start = await context.now();
      const charge = () => { throw new Error("really charged"); };
      const receipt = await context.step("charge", charge, { retry: { max_attempts: 3, delay_ms: 60_000 } });
      await context.sleep(7 * 86_400);
      const paid = await context.waitFor("paid", { timeout: 86_400 });
      const late = await context.waitFor("never", { timeout: 3600 }).catch((error) => error.message);
      const said = await context.newMessages();
      const answer = context.interrupt("Ship it?");
      const days = Math.floor((await context.now() - start) / 86_400_000);
      return { receipt, paid, late, said, answer, days };
    }
  `,
};
const week = 7 * 86_400;
const script = {
  input: { total: 5 },
  steps: { charge: inOrder(raises("ValueError", "declined"), { id: 1 }) },
  signals: [{ name: "paid", payload: { amount: 5 }, after_s: week + 60 }],
  messages: [{ payload: "hurry", after_s: 60 }],
  answers: ["yes"],
};

test.each(Object.entries(orders))(
  "%s: steps are mocked and waits take no time; where the process ends at each wait, the same comes of it",
  async (file, text) => {
    const at = write(`orders-${file}`, { [file]: text });
    const [quiet, restarted] = await Promise.all([runAgent(at, script), runAgent(at, { ...script, restarts: true })]);
    const result = {
      receipt: { id: 1 },
      paid: { amount: 5 },
      late: "No signal 'never' came within 3600 s.",
      said: ["hurry"],
      answer: "yes",
      days: 7,
    };
    expect(quiet).toMatchObject({ result, error: null, output: "begin\n", attempts: 2 });
    expect(restarted).toMatchObject({ result, error: null, attempts: 5 });
    expect(quiet.slept_ms).toBe((week + 60 + 3600) * 1000);
    const steps = quiet.steps.map(({ name, tries, ok }) => [name, tries, ok]);
    expect(steps).toEqual([
      ["now", 1, true],
      ["charge", 2, true],
      ["now", 1, true],
    ]);
    const asking = await runAgent(at, { ...script, steps: { charge: [1] }, answers: [] });
    expect(asking).toMatchObject({ question: "Ship it?", result: null, attempts: 1 });
  },
);

test("branches wait side by side, the earliest first, and a wait that nothing ends is told", async () => {
  const at = write("branches", {
    "main.py": py`
      import asyncio
      from runfleet import context

      async def branch(name, seconds):
          await context.sleep(seconds)
          return await context.step("note", lambda: f"really {name}")

      async def main(input):
          if not input:
              await context.step("note", lambda: 0)
              context.continue_as({"anew": True})
          order = []
          async def noted(name, seconds):
              order.append([name, await branch(name, seconds)])
          await asyncio.gather(noted("late", 3600), noted("soon", 60))
          context.emit("order", order)
          await context.wait_for(["one", "two"])
    `,
  });
  const rehearsed = await runAgent(at);
  expect(rehearsed.events).toEqual([
    {
      name: "order",
      value: [
        ["soon", "really soon"],
        ["late", "really late"],
      ],
    },
  ]);
  expect(rehearsed).toMatchObject({
    result: null,
    error: null,
    waiting: ["wait_for one,two"],
    slept_ms: 3_600_000,
    attempts: 2,
  });
});

test("the command line and Python's module run such tests, and name what is wrong with one", async () => {
  const at = write("orders", { "main.py": orders["main.py"] });
  const told = await runfleet(
    ["test", at, "-f", "-", "--json"],
    JSON.stringify({ steps: { charge: [{ result: 1 }] } }),
  );
  expect(told).toMatchObject({ code: 1 });
  expect(JSON.parse(told.out)).toMatchObject({ error: { type: "KeyError" } });
  const wrong = { mocks: {} };
  expect(await runfleet(["test", at, "-f", "-"], JSON.stringify(wrong))).toMatchObject({
    code: 2,
    err: expect.stringContaining("a test has no 'mocks'; it has input, steps,"),
  });
  expect(await runfleet(["test", at, "-f", "-"], '{"steps": {"charge": 5}}')).toMatchObject({
    code: 2,
    err: expect.stringContaining("steps.charge must be a list"),
  });
  const program = py`
    import sys
    sys.path.insert(0, sys.argv[1])
    from testing import InOrder, NotRehearsed, Raises, run_agent
    run = run_agent(sys.argv[2], {"total": 5}, steps={"charge": InOrder(Raises("ValueError"), {"id": 2})},
                    signals=[{"name": "paid", "payload": 1}], answers=["no"], restarts=True)
    print(run.result["receipt"], run.result["answer"], run.slept_ms, [step["tries"] for step in run.steps])
    try:
        run_agent(sys.argv[2] + "/gone")
    except NotRehearsed as error:
        print(error)
  `;
  const args = ["-c", program, join(root, "sdk/python/runfleet_sdk"), at];
  const done = await start("python3", args, {
    env: { PYTHONDONTWRITEBYTECODE: "1", RUNFLEET_CLI: `${process.execPath} ${cli}` },
  });
  expect([done.code, done.err]).toEqual([0, ""]);
  expect(done.out).toMatch(/^\{'id': 2\} no 608400000 \[1, 2, 1\]\n[\s\S]*gone/);
});

/** What a step would write that is not to be done. */
const done = join(folder, "really-done");

const recorded = {
  python: {
    file: "main.py",
    text: py`
      from runfleet import context
      def main(input):
          if "begin" in input:
              context.continue_as({"n": input["begin"]})
          one = context.step("one", lambda n: n, input["n"])
          two = context.step("two", lambda: one + 1)
          return {"two": two, "go": context.wait_for("go")}
    `,
    end: `    context.step("three", lambda: open("${done}", "w"))\n`,
    call: 'context.step("two", lambda: one + 1)',
  },
  node: {
    file: "main.mjs",
    text: `
      export async function main(input, context) {
        if (input.begin) context.continueAs({ n: input.begin });
        const one = await context.step("one", () => input.n, { args: [input.n] });
        const two = await context.step("two", () => one + 1);
        const go = await context.waitFor("go");
        return { two, go };
      }
    `,
    end: `  await context.step("three", () => process.getBuiltinModule("fs").writeFileSync("${done}", ""));\n`,
    call: 'await context.step("two", () => one + 1)',
  },
};

test.each(Object.entries(recorded))(
  "%s: a recorded run is replayed over changed code, which does nothing, and the first step that differs is named",
  async (adapter_type, { file, text, end, call: two }) => {
    const agent_id = await makeAgent(url, text, { adapter_type });
    const response = await execute(url, { agent_id, version: "current", input_payload: { begin: 1 } });
    const run_id = response.headers.get("x-run-id") ?? "";
    await call(url, "POST", `/v1/runs/${run_id}/signals/go`, { payload: "now" });
    expect((await readEvents(response)).at(-1)?.event).toBe("run.success");
    const check = (name: string, changed: string) =>
      runfleet(["check", write(`${adapter_type}-${name}`, { [file]: changed }), "--replay", run_id]);
    const [same, renamed, removed, added] = await Promise.all([
      check("same", text.replaceAll('input["n"])', 'input["n"] + 1)').replace("args: [input.n]", "args: [2]")),
      check("renamed", text.replace('"two"', '"zwei"')),
      check("removed", text.replace(two, "one + 1")),
      check("added", text.replace(/^ *(const )?two = /m, `${end}$&`)),
    ]);
    expect(same).toMatchObject({ code: 0, err: expect.stringContaining("the same 3 calls") });
    expect(same.err).toContain("'one' has other arguments");
    const line = (part: string) => `${file}:${text.split("\n").findIndex((one) => one.includes(part)) + 1}`;
    expect(renamed).toMatchObject({ code: 5 });
    expect(renamed.err).toContain(`${line('"two"')}: The recorded run called 'two' here`);
    expect(renamed.err).toContain("The code calls 'zwei'.");
    expect(removed).toMatchObject({ code: 5, err: expect.stringContaining("The recorded run called 'two' here") });
    expect(added).toMatchObject({ code: 5, err: expect.stringContaining("The code calls 'three'") });
    expect(existsSync(done)).toBe(false);
  },
);

test("a run that has kept nothing can't be replayed, and a journal is for who may write", async () => {
  const agent_id = await makeAgent(url, "def main(input): return 1");
  const response = await execute(url, { agent_id, version: "current" });
  const run_id = response.headers.get("x-run-id") ?? "";
  await readEvents(response);
  const at = write("plain", { "main.py": "def main(input): return 1" });
  expect(await runfleet(["check", at, "--replay", run_id])).toMatchObject({
    code: 4,
    err: expect.stringContaining("has kept no steps"),
  });
  expect((await runfleet(["check", at, "--replay", "run_nobody"])).code).toBe(4);
  expect((await call(url, "GET", `/v1/runs/${run_id}/journal`)).body).toEqual({
    ...{ data: [], answers: [], continued: null, has_more: false, last_place: null },
  });
});
