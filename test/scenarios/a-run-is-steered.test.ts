import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, type SentEvent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.openApi({ PUBLIC_URL: "" });
await stack.openWorker({ WORKER_SLOTS: "8" });

async function begin(agent_id: string, more: Record<string, unknown> = {}) {
  const response = await execute(url, { agent_id, version: "current", ...more });
  return { run_id: response.headers.get("x-run-id") ?? "", events: readEvents(response) };
}

const say = (run_id: string, payload: unknown, id?: string) =>
  call(url, "POST", `/v1/runs/${run_id}/messages`, { payload, ...(id !== undefined && { id }) });
const signal = (run_id: string, name: string) => call(url, "POST", `/v1/runs/${run_id}/signals/${name}`, {});

/** Waits until a run's stream has told so many events of a type. */
async function told(run_id: string, type: string, count = 1): Promise<SentEvent[]> {
  let left = count;
  return readEvents(await fetch(`${url}/v1/runs/${run_id}/stream`), ({ event }) => event === type && (left -= 1) === 0);
}
const resultOf = (events: readonly SentEvent[]) =>
  events.at(-1)?.data["result_content"] ?? events.at(-1)?.data["error"] ?? null;

/** Looks for messages before and after a wait, and twice in a row. */
const lookers = {
  python: py`
    def main(input, context):
        first = context.new_messages()
        context.wait_for("go")
        return {"all": [first, context.new_messages(), context.new_messages()], "attempt": context.attempt}
  `,
  asyncio: py`
    import asyncio
    from runfleet import context, new_messages

    async def main(input):
        first = await new_messages()
        await context.wait_for("go")
        lost = new_messages()
        lost.cancel()
        await asyncio.sleep(0)
        second, third = await asyncio.gather(new_messages(), new_messages())
        return {"all": [first, second, third], "attempt": context.attempt}
  `,
  node: `
    import { newMessages } from "runfleet";
    export async function main(input, context) {
      const first = await newMessages();
      await context.waitFor("go");
      return { all: [first, await newMessages(), await newMessages()], attempt: context.attempt };
    }
  `,
};

test.concurrent.each(Object.entries(lookers))(
  "%s: the code gets what was said since it looked last, and the same once more when it starts again",
  async (language, source) => {
    const agent_id = await makeAgent(url, source, { adapter_type: language === "node" ? "node" : "python" });
    // Nothing claims it yet, so its first message comes early.
    const delayed = await call(
      url,
      "POST",
      "/v1/execute",
      { agent_id, version: "current", delay_ms: 3_600_000 },
      async_,
    );
    const run_id = String(delayed.body["run_id"]);
    const large = { n: [2 ** 53, null, "ü\u0000"] };
    expect((await say(run_id, "early", "m1")).status).toBe(202);
    expect((await say(run_id, "early", "m1")).body).toMatchObject({ repeated: true });
    await stack.sql.query("UPDATE runs SET scheduled_at = now(), due_at = now() WHERE id = $1", [run_id]);
    await told(run_id, "run.suspended");
    await say(run_id, large);
    await say(run_id, "last");
    await signal(run_id, "go");
    const all = await readEvents(await fetch(`${url}/v1/runs/${run_id}/stream`));
    expect(resultOf(all)).toEqual({ all: [["early"], [large, "last"], []], attempt: 2 });
    const kinds = all.filter(({ event }) => event.startsWith("message.")).map(({ event }) => event);
    expect(kinds).toEqual([
      ...["message.accepted", "message.taken"],
      ...["message.accepted", "message.accepted", "message.taken"],
      // A look that was given up gives back what it had taken.
      ...(language === "asyncio" ? ["message.taken"] : []),
    ]);
    const { body } = await call(url, "GET", `/v1/runs/${run_id}/inputs?untaken=false`);
    expect((body["data"] as { kind: string; name: unknown }[]).map(({ kind, name }) => [kind, name])).toEqual(
      expect.arrayContaining([
        ["message", null],
        ["signal", "go"],
      ]),
    );
    expect(await say(run_id, "late")).toMatchObject({ status: 409, body: { code: "run_ended" } });
  },
);
const async_ = { prefer: "respond-async" };

test("readers hear of a message while the code works, and one that nothing took is listed", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def main(input, context):
          open("ready", "w")
          print("working")
          time.sleep(1.5)
    `,
  );
  const { run_id, events } = await begin(agent_id);
  await told(run_id, "output.delta");
  const { body } = await say(run_id, { role: "user", content: "hello" }, "m1");
  const all = await events;
  expect(all.find(({ event }) => event === "message.accepted")?.data).toMatchObject({
    message_id: body["id"],
    sent_id: "m1",
  });
  const listed = await call(url, "GET", `/v1/runs/${run_id}/inputs?untaken=true`);
  expect(listed.body).toMatchObject({ data: [{ kind: "message", name: null, sent_id: "m1", taken: false }] });
});

test("messages are bounded, and bad ones are refused, naming the place", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      from runfleet import context, new_messages
      def inside(call):
          try:
              call()
          except Exception as error:
              return type(error).__name__
      def main(input):
          context.wait_for("go")
          looks = [len(new_messages()) for _ in range(12)]
          return {"looks": looks, "step": context.step("s", lambda: inside(new_messages))}
    `,
  );
  const { run_id, events } = await begin(agent_id);
  await told(run_id, "wait.opened");
  expect((await say(run_id, "x".repeat(300_000))).body).toMatchObject({
    detail: [{ loc: ["body", "payload"], msg: expect.stringMatching(/at most 262144 bytes/) }],
  });
  expect((await call(url, "POST", `/v1/runs/${run_id}/messages`, {})).body).toMatchObject({
    detail: [{ loc: ["body", "payload"] }],
  });
  expect((await say(run_id, "x", "not an id")).status).toBe(422);
  expect((await say("run_nobody", "x")).status).toBe(404);
  await stack.sql.query(
    `INSERT INTO run_inputs (run_id, id, kind, name, sent_id, sealed_payload)
     SELECT $1, 'filler' || n, 'signal', 'filler', 'filler' || n, '' FROM generate_series(1, 890) n`,
    [run_id],
  );
  for (let n = 0; n < 5; n += 1) expect((await say(run_id, "x".repeat(260_000))).status).toBe(202);
  await Promise.all(Array.from({ length: 105 }, (_, n) => say(run_id, n)));
  expect(await say(run_id, "more")).toMatchObject({ status: 409, body: { code: "too_many_inputs" } });
  await signal(run_id, "go").catch(() => undefined);
  await stack.sql.query("DELETE FROM run_inputs WHERE run_id = $1 AND name = 'filler'", [run_id]);
  await signal(run_id, "go");
  const { looks, step } = resultOf(await events) as { looks: number[]; step: string };
  // An entry holds 1 MiB, and 100 messages.
  expect(looks.slice(0, 3)).toEqual([4, 100, 6]);
  expect(looks.slice(3)).toEqual(Array.from({ length: 9 }, () => 0));
  expect(step).toBe("DurableCallInStep");
});

test("Python: hooks of LangGraph and of the OpenAI Agents SDK, as their documentation calls them", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import asyncio
      from concurrent.futures import ThreadPoolExecutor
      from types import SimpleNamespace
      from runfleet import context

      class ModelInputData:
          def __init__(self, input, instructions):
              self.input, self.instructions = input, instructions

      async def main(input):
          await context.wait_for("go")
          graph, agents = context.steering(), context.steering()
          # LangGraph calls a plain hook in a thread of a pool.
          hooked = [await asyncio.to_thread(graph.pre_model_hook, {"messages": []}) for _ in range(2)]
          await context.wait_for("go")
          items, turns = [{"role": "user", "content": "begin"}], []
          for turn in range(2):
              data = SimpleNamespace(model_data=ModelInputData(list(items), "be kind"), agent=None, context=None)
              given = await agents.call_model_input_filter(data)
              turns.append([given.instructions, *(item.get("content") for item in given.input)])
              items += [{"type": "function_call", "content": f"call {turn}"}]
          return {"hooked": hooked, "turns": turns}
    `,
  );
  const { run_id, events } = await begin(agent_id);
  await say(run_id, "one");
  await say(run_id, { n: 2 });
  await signal(run_id, "go");
  await told(run_id, "run.suspended");
  await say(run_id, "three");
  await signal(run_id, "go");
  expect(resultOf(await events)).toEqual({
    hooked: [
      {
        messages: [
          { role: "user", content: "one" },
          { role: "user", content: '{"n":2}' },
        ],
      },
      { messages: [] },
    ],
    turns: [
      ["be kind", "begin", "three"],
      ["be kind", "begin", "three", "call 0"],
    ],
  });
});

/** A framework and a program, as one file. */
async function bundle(program: string): Promise<string> {
  const built = await rolldown({
    input: "program.mjs",
    platform: "node",
    external: ["runfleet"],
    plugins: [
      {
        name: "program",
        resolveId: (id) => (id === "program.mjs" ? `${process.cwd()}/program.mjs` : null),
        load: (id) => (id.endsWith("/program.mjs") ? program : null),
      },
    ],
  });
  const { output } = await built.generate({ format: "esm", codeSplitting: false, minify: true });
  return output[0].code;
}

/** A model that calls a tool twice, and says at last what it was given. The tool waits for a signal. */
const frameworks: Record<string, string> = {
  ai: `
    import { context } from "runfleet";
    import { generateText, stepCountIs, tool, jsonSchema } from "ai";
    import { MockLanguageModelV3 } from "ai/test";
    let turns = 0;
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const model = new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => {
        turns += 1;
        const said = prompt.filter(({ role }) => role === "user").map(({ content }) => content[0].text);
        const content = turns < 3
          ? [{ type: "tool-call", toolCallId: "c" + turns, toolName: "look", input: "{}" }]
          : [{ type: "text", text: JSON.stringify(said) + prompt.map(({ role }) => role[0]).join("") }];
        return { content, finishReason: { unified: turns < 3 ? "tool-calls" : "stop", raw: undefined }, usage, warnings: [] };
      },
    });
    const look = tool({ inputSchema: jsonSchema({ type: "object" }), execute: () => context.waitFor("go") });
    export default async function main() {
      const { prepareStep } = context.steering();
      return (await generateText({ model, tools: { look }, prompt: "begin", prepareStep, stopWhen: stepCountIs(5) })).text;
    }`,
  "@openai/agents": `
    import { context } from "runfleet";
    import { Agent, Runner, tool } from "@openai/agents";
    let turns = 0;
    const model = {
      async getResponse({ input }) {
        turns += 1;
        const said = input.filter(({ role }) => role === "user").map(({ content }) => content);
        const kinds = input.map(({ role, type }) => (role === "user" ? "u" : type === "function_call" ? "a" : "t"));
        const output = turns < 3
          ? [{ type: "function_call", callId: "c" + turns, name: "look", arguments: "{}", status: "completed" }]
          : [{ type: "message", role: "assistant", status: "completed",
               content: [{ type: "output_text", text: JSON.stringify(said) + kinds.join("") }] }];
        return { usage: { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2, add() {} }, output };
      },
    };
    const parameters = { type: "object", properties: {}, required: [], additionalProperties: false };
    const look = tool({ name: "look", description: "looks", parameters, strict: true, execute: async () => String(await context.waitFor("go")) });
    export default async function main() {
      const { callModelInputFilter } = context.steering();
      const runner = new Runner({ tracingDisabled: true, callModelInputFilter });
      return (await runner.run(new Agent({ name: "a", model, tools: [look] }), "begin")).finalOutput;
    }`,
  "@langchain/langgraph": `
    import { context } from "runfleet";
    import { createReactAgent } from "@langchain/langgraph/prebuilt";
    import { FakeListChatModel } from "@langchain/core/utils/testing";
    import { AIMessage } from "@langchain/core/messages";
    import { tool } from "@langchain/core/tools";
    let turns = 0;
    class Model extends FakeListChatModel {
      bindTools() { return this; }
      async _generate(messages) {
        turns += 1;
        const said = messages.filter((message) => message.getType() === "human").map(({ content }) => content);
        const kinds = messages.map((message) => ({ human: "u", ai: "a", tool: "t" })[message.getType()]);
        const message = turns < 3
          ? new AIMessage({ content: "", tool_calls: [{ id: "c" + turns, name: "look", args: {} }] })
          : new AIMessage(JSON.stringify(said) + kinds.join(""));
        return { generations: [{ text: "", message }] };
      }
    }
    const look = tool(async () => String(await context.waitFor("go")), { name: "look", description: "looks", schema: { type: "object", properties: {} } });
    export default async function main() {
      const { preModelHook } = context.steering();
      const agent = createReactAgent({ llm: new Model({ responses: [""] }), tools: [look], preModelHook });
      const { messages } = await agent.invoke({ messages: [{ role: "user", content: "begin" }] });
      return messages.at(-1).content;
    }`,
};

test.concurrent.each(Object.entries(frameworks))(
  "%s: what is said reaches the model's next turn, and stays where it was said",
  async (_name, program) => {
    const config = { files: { "main.mjs": await bundle(program) }, entrypoint: "main.mjs" };
    const agent = await call(url, "POST", "/v1/agents", { user_id: "tester", name: "a", config });
    const { run_id, events } = await begin(String(agent.body["id"]), { adapter_type: "node" });
    // The process is let go: the next one comes to the same turns.
    await told(run_id, "run.suspended");
    await say(run_id, "only near the station");
    await say(run_id, { role: "user", content: "and cheap" });
    await signal(run_id, "go");
    await told(run_id, "wait.opened", 2);
    await signal(run_id, "go");
    const all = await events;
    expect(resultOf(all)).toEqual({
      output: `["begin","only near the station","and cheap"]${"uatuuat"}`,
    });
    expect(all.filter(({ event }) => event === "message.taken")).toHaveLength(1);
  },
);
