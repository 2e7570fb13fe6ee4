import { Command } from "@langchain/langgraph";
import { RemoteGraph } from "@langchain/langgraph/remote";
import { Client } from "@langchain/langgraph-sdk";
import { useStream } from "@langchain/langgraph-sdk/react";
import { createElement } from "react";
import { create } from "react-test-renderer";
import { expect, test } from "vitest";
import { makeAgent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.startService();
const apiUrl = `${url}/langgraph`;

const speaker = await makeAgent(
  url,
  py`
    def main(input, context):
        if input.get("look"):
            with context.tool("weather", {"city": "Berlin"}) as call:
                call.result = "sunny"
        for part in ("You ", "said ", input["messages"][-1]["content"]):
            yield part
        return {"topic": "talk"}
  `,
);
const asker = await makeAgent(
  url,
  py`
    from runfleet import interrupt
    def main(input):
        return {"name": interrupt({"question": "Your name?"})}
  `,
);

test("RemoteGraph invokes and streams an agent, on a thread and without one", async () => {
  const graph = new RemoteGraph({ graphId: speaker, url: apiUrl, apiKey: "none" });
  const input = { messages: [{ role: "user", content: "hi" }] };
  const values = { topic: "talk", messages: [{ content: "hi" }, { content: "You said hi" }] };
  expect(await graph.invoke(input)).toMatchObject(values);
  const chunks: unknown[] = [];
  for await (const chunk of await graph.stream(input, { streamMode: ["updates", "values"] })) chunks.push(chunk);
  expect(chunks.map((chunk) => (chunk as [string])[0])).toEqual(["values", "updates", "values"]);
  const { thread_id } = await new Client({ apiUrl }).threads.create();
  const config = { configurable: { thread_id } };
  await graph.invoke(input, config);
  expect(await graph.getState(config)).toMatchObject({ values, next: [], config: { configurable: { thread_id } } });
  await graph.updateState(config, { topic: "other" });
  expect((await graph.getState(config)).values).toMatchObject({ topic: "other" });
  expect(Object.keys((await graph.getGraphAsync()).nodes)).toHaveLength(3);
});

test("RemoteGraph throws a question and answers it with a Command", async () => {
  const graph = new RemoteGraph({ graphId: asker, url: apiUrl, apiKey: "none" });
  const { thread_id } = await new Client({ apiUrl }).threads.create();
  const config = { configurable: { thread_id } };
  await expect(graph.invoke({}, config)).rejects.toMatchObject({
    name: "GraphInterrupt",
    interrupts: [{ value: { question: "Your name?" } }],
  });
  expect((await graph.getState(config)).tasks).toMatchObject([{ interrupts: [{ value: { question: "Your name?" } }] }]);
  expect(await graph.invoke(new Command({ resume: "Ada" }), config)).toMatchObject({ name: "Ada" });
});

type Shown = ReturnType<typeof useStream<Record<string, unknown>>>;

/** Renders useStream. `shown` returns what it shows now. */
async function render(assistantId: string): Promise<{ shown: () => Shown; errors: unknown[]; close: () => void }> {
  const state: { shown?: Shown } = {};
  const errors: unknown[] = [];
  const App = () => {
    state.shown = useStream({
      apiUrl,
      apiKey: "none",
      assistantId,
      fetchStateHistory: true,
      onError: (error) => errors.push(error),
    });
    return null;
  };
  const root = create(createElement(App));
  const shown = (): Shown => {
    if (!state.shown) throw new Error("Nothing was rendered.");
    return state.shown;
  };
  await waitFor(() => state.shown);
  return { shown, errors, close: () => root.unmount() };
}

const isIdle = (shown: () => Shown) => () =>
  !shown().isLoading && !shown().isThreadLoading && shown().history.length > 0;

test("useStream shows a conversation with its tools, and keeps it when the history is read", async () => {
  const { shown, errors, close } = await render(speaker);
  for (const [at, word] of ["hi", "again"].entries()) {
    void shown().submit({ messages: [{ type: "human", content: word }], look: true });
    await waitFor(() => isIdle(shown)() && shown().messages.length === 4 * (at + 1));
    expect(shown().messages.slice(-4)).toMatchObject([
      { type: "human", content: word },
      { type: "ai", tool_calls: [{ name: "weather" }] },
      { type: "tool", content: "sunny" },
      { type: "ai", content: `You said ${word}` },
    ]);
  }
  expect(shown().history).toHaveLength(2);
  expect(errors).toEqual([]);
  close();
});

test("useStream shows a question and goes on with its answer", async () => {
  const { shown, errors, close } = await render(asker);
  void shown().submit({ x: 1 });
  await waitFor(() => shown().interrupt && isIdle(shown)());
  expect(shown().interrupt).toMatchObject({ value: { question: "Your name?" } });
  void shown().submit(undefined, { command: { resume: "Ada" } });
  await waitFor(() => isIdle(shown)() && shown().values["name"] === "Ada");
  expect(shown().interrupt).toBeUndefined();
  expect(errors).toEqual([]);
  close();
});
