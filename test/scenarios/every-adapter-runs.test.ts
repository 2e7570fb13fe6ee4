import { afterAll, beforeAll, expect, test } from "vitest";
import { call, execute, readEvents } from "../harness/client.ts";
import { openTestStack, type TestStack } from "../harness/test-stack.ts";

let stack: TestStack;
let url: string;
beforeAll(async () => {
  stack = await openTestStack();
  ({ url } = await stack.start("api"));
  await stack.start("worker");
});
afterAll(() => stack.close());

const cases: [string, Record<string, unknown>][] = [
  ["python", { source: "def main(input):\n    yield 'hello'\n    return input" }],
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

test("an agent asks a person from Node as well", async () => {
  const source = `import { interrupt } from "runfleet"; export const main = () => ({ name: interrupt("Name?") });`;
  const made = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config: { source } });
  const events = await readEvents(
    await execute(url, { agent_id: made.body["id"], version: "current", adapter_type: "node" }),
  );
  expect(events.at(-1)?.event).toBe("run.interrupted");
  const runId = String(events[0]?.data["run_id"]);
  await call(url, "POST", `/v1/runs/${runId}/resume`, { response: "Ada" });
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
