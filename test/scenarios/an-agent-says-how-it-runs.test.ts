import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const source = py`
  def main(input, context):
      return input
`;

async function run(config: Record<string, unknown>, body: Record<string, unknown> = {}, code = source) {
  const agent_id = await makeAgent(url, code, config);
  const answer = await execute(url, { agent_id, version: "current", ...body });
  if (answer.status !== 200) return { status: answer.status, fault: JSON.stringify(await answer.json()), events: [] };
  const events = await readEvents(answer);
  return {
    status: 200,
    events,
    last: events.at(-1)?.data,
    started: events.find(({ event }) => event === "run.started"),
  };
}
const modeOf = async (config: Record<string, unknown>, body = {}) =>
  (await run(config, body)).started?.data["runtime_mode"];

test("the runtime_mode is the agent's: a request may narrow it, or name it where the config is silent", async () => {
  expect(await modeOf({ runtime_mode: "full" })).toBe("full");
  expect(await modeOf({ runtime_mode: "full" }, { runtime_mode: "standard" })).toBe("full");
  expect(await modeOf({ runtime_mode: "full" }, { runtime_mode: "isolated" })).toBe("isolated");
  expect(await modeOf({}, { runtime_mode: "full" })).toBe("full");
  expect(await modeOf({ runtime_mode: "isolated" }, { runtime_mode: "standard" })).toBe("isolated");
  const wider = await run({ runtime_mode: "standard" }, { runtime_mode: "full" });
  expect(wider).toMatchObject({
    status: 422,
    fault: expect.stringContaining("runtime_mode of this version is 'standard'"),
  });
});

test("the defaults of an input_schema are the input's", async () => {
  const input_schema = {
    type: "object",
    required: ["name", "greeting"],
    properties: {
      name: { type: "string" },
      greeting: { type: "string", default: "hi" },
      deep: { properties: { n: { default: 1 } } },
    },
  };
  const { last } = await run({ input_schema }, { input_payload: { name: "Bo", deep: {} } });
  expect(last).toMatchObject({ result_content: { name: "Bo", greeting: "hi", deep: { n: 1 } } });
});

test("a declared secret that isn't set is an error with its cure; a request may bring it", async () => {
  const { last } = await run({ secrets: ["API_KEY"] });
  const message = expect.stringMatching(/declares secrets that aren't set: API_KEY\. .*\/secrets\/API_KEY/);
  expect(last).toMatchObject({ status: "error", error: { code: "secret_not_set", message } });
  expect((await run({ secrets: ["API_KEY"] }, { env_vars: { API_KEY: "k" } })).last).toMatchObject({
    status: "success",
  });
});

test("a run without network says so, and how to have one; a broken limit is named with its value and its key", async () => {
  const look = "import socket\ndef main():\n    socket.create_connection(('example.com', 80))";
  expect((await run({}, {}, look)).last).toMatchObject({
    error: {
      type: "gaierror",
      message: expect.stringMatching(/This run has no network\..*"runtime_mode": "full" and "network": \{/s),
    },
  });
  const { last } = await run({ limits: { timeout_ms: 300 } }, {}, "import time\ndef main(): time.sleep(60)");
  expect(last).toMatchObject({
    error: { code: "timeout", message: expect.stringMatching(/within 300 ms\. `limits.timeout_ms` .* up to 3600000/) },
  });
  const loud = await run({ limits: { output_bytes: 100 } }, {}, "def main():\n    yield 'x' * 200");
  expect(loud.last).toMatchObject({
    error: { code: "output_limit", message: expect.stringMatching(/100 bytes\. `limits.output_bytes`/) },
  });
});

test("usage says who reported it", async () => {
  const { events } = await run({}, {}, "def main(context): context.usage(input_tokens=5)");
  expect(events.find(({ event }) => event === "usage")?.data).toMatchObject({ input_tokens: 5, source: "reported" });
  expect((await call(url, "GET", `/v1/runs/${String(events[0]?.data["run_id"])}`)).body["usage"]).toMatchObject({
    input_tokens: 5,
  });
});
