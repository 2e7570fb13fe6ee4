import { expect, test } from "vitest";
import { answerRun, call, execute, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const cases: [string, Record<string, unknown>][] = [
  [
    "python",
    {
      source: py`
        def main(input):
            yield 'hello'
            return input
      `,
    },
  ],
  ["node", { source: "export async function* main(input) { yield 'hello'; return input; }" }],
  ["node", { files: { "main.ts": "export function* main(input: object) { yield 'hello'; return input; }" } }],
  ["node", { files: { "main.cjs": "exports.main = function* (input) { yield 'hello'; return input; };" } }],
  ["command", { command: ["sh", "-c", "printf hello"] }],
  [
    "process",
    {
      command: [
        "sh",
        "-c",
        `echo '{"type":"output","content":"hello"}'; printf '{"type":"result","result_content":{"a":1}}\\n'`,
      ],
      output: "ndjson",
    },
  ],
];

test.each(cases)("an agent of the adapter %s runs from POST to its result", async (adapter_type, config) => {
  const made = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config });
  const events = await readEvents(
    await execute(url, { agent_id: made.body["id"], version: "current", adapter_type, input_payload: { a: 1 } }),
  );
  expect(events.find(({ event }) => event === "output.delta")?.data["content"]).toBe("hello");
  const isText = adapter_type === "command";
  expect(events.at(-1)).toMatchObject({
    event: "run.success",
    data: { result_content: isText ? { output: "hello" } : { a: 1 } },
  });
});

test.each([
  ["node", { source: "export const main = () => 1;" }, "main.ts"],
  ["node", { source: "exports.play = () => 1;", entrypoint: "agent.cjs:play" }, "agent.cjs:play"],
  ["python", { source: "def play(): return 1", entrypoint: "agent.py:play" }, "agent.py:play"],
  ["python", { source: "def main(): return 1", entrypoint: "./main.py" }, "main.py"],
  [
    "python",
    { source: "def main(): return 1", files: { "app.py": "from main import main" }, entrypoint: "app.py" },
    "app.py",
  ],
  ["command", { command: ["echo", "1"] }, null],
])("a run that names no adapter has its version's: %s %o", async (adapter_type, config, entrypoint) => {
  const asked = { user_id: "u", name: "a", config: { ...config, adapter_type } };
  const { body: agent } = await call(url, "POST", "/v1/agents", asked);
  const run_id = `run-${String(agent["id"])}`;
  const request = { agent_id: agent["id"], version: "current" };
  const { body: verdict } = await call(url, "POST", "/v1/validate", request);
  expect([verdict["entrypoint"], verdict["warnings"]]).toEqual([entrypoint, []]);
  const events = await readEvents(await execute(url, { ...request, run_id }));
  expect(events.at(-1)).toMatchObject({ event: "run.success" });
  const { body: run } = await call(url, "GET", `/v1/runs/${run_id}`);
  expect(run["adapter_type"]).toBe(adapter_type);
  const repeat = await execute(url, { ...request, run_id });
  expect([repeat.status, (await readEvents(repeat)).length]).toEqual([200, events.length]);
});

test("a file that says no type has that of its name, from any adapter", async () => {
  const files = ["a.csv", "b.tar.GZ", "c.constructor", "d"];
  const source = `export const main = (input, context) => { for (const name of ${JSON.stringify(files)}) context.artifact(name, "x"); };`;
  const config = { source, adapter_type: "node" };
  const made = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config });
  const events = await readEvents(await execute(url, { agent_id: made.body["id"], version: "current" }));
  const handed = events.filter(({ event }) => event === "artifact").map(({ data }) => data["mime"]);
  const bytes = "application/octet-stream";
  expect(handed).toEqual(["text/csv", "application/gzip", bytes, bytes]);
});

test("a file that couldn't be written is refused when the agent is made", async () => {
  const config = { files: { "main.py": "", "../main.py": "" } };
  const { status, body } = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config });
  expect(status).toBe(422);
  expect(body["detail"]).toMatchObject([{ loc: ["body", "config", "files", "../main.py"] }]);
});

test.each([
  ["A=B", "x"],
  ["LD_PRELOAD", "x"],
  ["NUL", "a\0b"],
  ["HALF", "\ud800"],
  ["LONG", "x".repeat(40_000)],
])("a variable that no run could have is refused when the agent is made: %s", async (name, value) => {
  const config = { source: "", env: { GOOD: "x", [name]: value } };
  const { status, body } = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config });
  expect(status).toBe(422);
  expect(body["detail"]).toMatchObject([{ loc: ["body", "config", "env", name] }]);
});

test.each([
  ["command", ["echo", "a\0b"]],
  ["command", ["echo", "\ud800"]],
  ["entrypoint", "main\0.py"],
])("a program that couldn't be started is refused when the agent is made: %s %j", async (key, value) => {
  const config = { source: "", [key]: value };
  const { status, body } = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config });
  expect(status).toBe(422);
  expect(JSON.stringify(body["detail"])).toContain(`"body","config","${key}"`);
});

test("an adapter that nobody knows is refused when the agent is made", async () => {
  const config = { source: "puts 1", adapter_type: "ruby" };
  const { status, body } = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config });
  expect(status).toBe(422);
  expect(body["detail"]).toMatchObject([{ loc: ["body", "config", "adapter_type"] }]);
});

test.each([
  ["event_too_large", "context.emit('big', 'x' * 200_000)"],
  ["event_too_large", "context.save_state('x' * (2 << 20))"],
  ["event_limit", "[context.emit('e', n) for n in range(100)]"],
  ["output_limit", "print('x' * 20_000)"],
  ["result_too_large", "return 'x' * (13 << 20)"],
  ["event_too_large", "context.emit('big', 'x' * (13 << 20))"],
  ["artifact_limit", "context.artifact('big.bin', bytes(13 << 20))"],
])("a run that ends at once after it said too much is told of it, %s: %s", async (code, act) => {
  const source = py`
    def main(input, context):
        yield "before"
        ${act}
        return 1
  `;
  const config = { source, limits: { events: 20, output_bytes: code === "output_limit" ? 10_000 : 10_000_000 } };
  const made = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config });
  const events = await readEvents(await execute(url, { agent_id: made.body["id"], version: "current" }));
  expect(events.at(-1)).toMatchObject({
    event: "run.error",
    data: { error: { code }, result_content: null, partial: { output: "before" }, state_snapshot: null },
  });
});

test.each([
  `import { interrupt } from "runfleet"; export const main = () => ({ name: interrupt("Name?") });`,
  `export const main = (input, context) => { try { return { name: context.interrupt("Name?") }; } catch { return "lost"; } };`,
])("an agent asks a person from Node as well: %s", async (source) => {
  const made = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config: { source } });
  const events = await readEvents(
    await execute(url, { agent_id: made.body["id"], version: "current", adapter_type: "node" }),
  );
  expect(events.at(-1)?.event).toBe("run.interrupted");
  const runId = String(events[0]?.data["run_id"]);
  await answerRun(url, runId, { response: "Ada" });
  const rest = await readEvents(
    await fetch(`${url}/v1/runs/${runId}/stream`, { headers: { "last-event-id": String(events.at(-1)?.id) } }),
  );
  expect(rest.at(-1)?.data["result_content"]).toEqual({ name: "Ada" });
});

test("an adapter that no worker offers is refused at once, before a run is made", async () => {
  const made = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config: { image: "x" } });
  const { status, body } = await call(url, "POST", "/v1/execute", {
    agent_id: made.body["id"],
    version: "current",
    adapter_type: "container",
  });
  expect([status, body["code"]]).toEqual([503, "no_worker"]);
});

test.each([
  [{ usd: 0.5 }, ["cost_usd=0.4", "cost_usd=0.6"], { cost_usd: 0.6 }],
  [{ tokens: 100 }, ["input_tokens=60", "output_tokens=50"], { input_tokens: 60, output_tokens: 50 }],
])(
  "a run that tells of more usage than its agent's budget %o is ended, and is charged for it",
  async (budget, told, used) => {
    const acts = told.map((usage) => `context.usage(${usage}); yield "on"`);
    const source = py`
      import time
      def main(input, context):
          ${acts.join("; ")}
          time.sleep(60)
          return {"done": True}
    `;
    const made = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config: { source, budget } });
    const events = await readEvents(await execute(url, { agent_id: made.body["id"], version: "current" }));
    expect(events.at(-1)).toMatchObject({
      event: "run.error",
      data: { error: { code: "budget_exceeded" }, partial: { output: "on" }, usage: used },
    });
  },
);
