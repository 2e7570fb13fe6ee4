import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Client } from "@langchain/langgraph-sdk";
import { expect, test } from "vitest";
import { call, makeAgent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const clientOf = (fetched: typeof fetch = fetch) =>
  new Client({ apiUrl: `${url}/langgraph`, apiKey: null, callerOptions: { maxRetries: 0, fetch: fetched } });
const client = clientOf();
const { assistants, threads, runs, crons, store } = client;

/** Speaks in parts, looks something up, and fails or waits if it is told to. */
const speaker = await makeAgent(
  url,
  py`
    import time
    def main(input, context):
        heard = input["messages"][-1]["content"] if input.get("messages") else "nothing"
        context.progress(0.5, "half")
        if input.get("look"):
            yield "Let me look."
            with context.tool("weather", {"city": "Berlin"}) as call:
                call.result = "sunny"
        for part in ["You ", "said ", heard] + ["."] * input.get("more", 0):
            yield part
        context.emit("custom", {"mood": "good"})
        if input.get("fail"):
            raise ValueError("boom")
        time.sleep(60 if input.get("wait") else 0)
        return {"topic": heard}
  `,
);
const asker = await makeAgent(
  url,
  py`
    from runfleet import interrupt
    def main(input):
        name = interrupt({"question": "Your name?"})
        sure = interrupt("Is " + name + " right?", response_schema={"type": "string"})
        return {"name": name, "sure": sure}
  `,
);
const graph = await makeAgent(
  url,
  py`
    class Message:
        def __init__(self, content):
            self.content = content
    class Graph:  # LangGraph's CompiledGraph
        channels = {}
        def invoke(self, input): ...
        def get_graph(self): ...
        def stream(self, input, config, stream_mode):
            yield "messages", (Message("hel"), {})
            yield "messages", (Message("lo"), {})
            yield "custom", {"note": 1}
            yield "updates", {"node": {"step": 1}}
            yield "values", {"messages": input["messages"] + [{"type": "ai", "content": "hello", "id": "m-1"}], "step": 1}
    main = Graph()
  `,
  { entrypoint: "main.py:main" },
);

type Sent = { id?: string; event: string; data: unknown };
const say = (content: string, more: object = {}) => ({ messages: [{ role: "user", content }], ...more });

async function collect(stream: AsyncIterable<unknown>): Promise<Sent[]> {
  const events: Sent[] = [];
  for await (const event of stream) events.push(event as Sent);
  return events;
}
const named = (events: Sent[], name: string): unknown[] =>
  events.filter(({ event }) => event === name).map(({ data }) => data);
const runIdOf = (events: Sent[]) => (events[0]?.data as { run_id: string } | undefined)?.run_id ?? "";
const newThread = async () => (await threads.create()).thread_id;

// ── turns ──

test("a turn streams its metadata, messages and values, and names the run and the thread at once", async () => {
  const thread_id = await newThread();
  const created: unknown[] = [];
  const events = await collect(
    runs.stream(thread_id, speaker, {
      input: say("hi"),
      streamMode: ["values", "messages-tuple", "updates", "custom"],
      onRunCreated: (run) => void created.push(run),
    }),
  );
  const run_id = runIdOf(events);
  expect(created).toEqual([{ run_id, thread_id }]);
  expect(events[0]).toMatchObject({ event: "metadata", data: { run_id, attempt: 1 } });
  const parts = named(events, "messages") as [{ id: string; content: string }, object][];
  expect(parts.map(([{ content }]) => content)).toEqual(["You ", "said ", "hi"]);
  expect(new Set(parts.map(([{ id }]) => id)).size).toBe(1);
  const [before, after] = named(events, "values") as { messages: unknown[] }[];
  expect(before?.messages).toMatchObject([{ type: "human", content: "hi" }]);
  expect(after).toMatchObject({ topic: "hi", messages: [{ type: "human" }, { type: "ai", content: "You said hi" }] });
  expect(named(events, "updates")).toMatchObject([
    { [speaker]: { topic: "hi", messages: [{ content: "You said hi" }] } },
  ]);
  expect(named(events, "custom")).toEqual(expect.arrayContaining([{ mood: "good" }]));
  expect(events.some(({ event }) => event === "end")).toBe(false);
  expect(await threads.getState(thread_id)).toMatchObject({
    values: after,
    next: [],
    tasks: [],
    checkpoint: { thread_id, checkpoint_id: run_id },
  });
});

test("only the modes that are asked for are streamed; without any it is values", async () => {
  const thread_id = await newThread();
  const modesOf = async (streamMode?: "values" | "updates" | "messages" | "events" | "tasks") => {
    const events = await collect(
      runs.stream(thread_id, speaker, { input: say("hi"), ...(streamMode && { streamMode }) }),
    );
    return [...new Set(events.map(({ event }) => event))];
  };
  expect(await modesOf()).toEqual(["metadata", "values"]);
  expect(await modesOf("values")).toEqual(["metadata", "values"]);
  expect(await modesOf("updates")).toEqual(["metadata", "updates"]);
  expect(await modesOf("messages")).toEqual(["metadata", "messages/metadata", "messages/partial", "messages/complete"]);
  expect(await modesOf("events")).toEqual(["metadata", "events"]);
  expect(await modesOf("tasks")).toEqual(["metadata", "tasks"]);
  for (const streamMode of ["checkpoints", "debug"] as const)
    await expect(collect(runs.stream(thread_id, speaker, { streamMode }))).rejects.toMatchObject({ status: 422 });
});

test("five turns on a thread are ten messages, in the stream, in the state and in the history", async () => {
  const thread_id = await newThread();
  let last: Sent[] = [];
  for (const word of ["one", "two", "three", "four", "five"])
    last = await collect(runs.stream(thread_id, speaker, { input: say(word), streamMode: "values" }));
  const said = ["one", "two", "three", "four", "five"].flatMap((word) => [word, `You said ${word}`]);
  const contentsOf = (values: unknown) =>
    (values as { messages: { content: string }[] }).messages.map((one) => one.content);
  expect(contentsOf(last.at(-1)?.data)).toEqual(said);
  const { values } = await threads.getState(thread_id);
  expect(values).toEqual(last.at(-1)?.data);
  const history = await threads.getHistory(thread_id, { limit: 3 });
  expect(history.map((state) => contentsOf(state.values).length)).toEqual([10, 8, 6]);
  expect(history[0]?.parent_checkpoint?.checkpoint_id).toBe(history[1]?.checkpoint.checkpoint_id);
  const before = await threads.getHistory(thread_id, {
    limit: 10,
    before: { configurable: { checkpoint_id: history[2]?.checkpoint.checkpoint_id } },
  });
  expect(before.map((state) => contentsOf(state.values).length)).toEqual([4, 2]);
  const copied = await threads.copy(thread_id);
  expect(contentsOf((await threads.getState(copied.thread_id)).values)).toEqual(said);
  const old = await threads.getState(thread_id, history[2]?.checkpoint);
  expect(contentsOf(old.values)).toHaveLength(6);
});

test("a tool is a message with tool calls and a message with its answer, and stays so in the state", async () => {
  const thread_id = await newThread();
  const streamMode: ["messages-tuple", "messages", "values"] = ["messages-tuple", "messages", "values"];
  const events = await collect(runs.stream(thread_id, speaker, { input: say("hi", { look: true }), streamMode }));
  const tuples = (named(events, "messages") as [Record<string, unknown>][]).map(([message]) => message);
  expect(tuples).toMatchObject([
    { type: "ai", content: "Let me look." },
    { type: "ai", tool_calls: [{ name: "weather", args: { city: "Berlin" } }], tool_call_chunks: [{ index: 0 }] },
    { type: "tool", content: "sunny", name: "weather", status: "success" },
    { content: "You " },
    { content: "said " },
    { content: "hi" },
  ]);
  const messages = [
    { type: "human" },
    { type: "ai", content: "Let me look.", tool_calls: [{ name: "weather", args: { city: "Berlin" } }] },
    { type: "tool", content: "sunny" },
    { type: "ai", content: "You said hi" },
  ];
  expect(named(events, "values").at(-1)).toMatchObject({ messages });
  expect(named(events, "messages/complete")).toMatchObject(messages.slice(1).map((message) => [message]));
  expect((await threads.getState(thread_id)).values).toMatchObject({ messages });
});

test("what a LangGraph graph streams is passed on, and its messages are the thread's", async () => {
  const thread_id = await newThread();
  const streamMode: ["updates", "custom", "messages-tuple", "values"] = [
    "updates",
    "custom",
    "messages-tuple",
    "values",
  ];
  const events = await collect(runs.stream(thread_id, graph, { input: say("hi"), streamMode }));
  expect(named(events, "updates")).toEqual([{ node: { step: 1 } }]);
  expect(named(events, "custom")).toEqual(expect.arrayContaining([{ note: 1 }]));
  expect((named(events, "messages") as [{ content: string }][]).map(([{ content }]) => content)).toEqual(["hel", "lo"]);
  const values = {
    step: 1,
    messages: [
      { type: "human", content: "hi" },
      { type: "ai", content: "hello", id: "m-1" },
    ],
  };
  expect(events.at(-1)).toMatchObject({ event: "values", data: values });
});

// ── questions ──

test("an interrupt is answered by command.resume, and only what follows is streamed", async () => {
  const thread_id = await newThread();
  const first = await collect(runs.stream(thread_id, asker, { input: { x: 1 }, streamMode: ["values", "updates"] }));
  const asked = { __interrupt__: [{ id: expect.stringMatching(/^int_/), value: { question: "Your name?" } }] };
  expect(named(first, "updates").at(-1)).toMatchObject(asked);
  expect(first.at(-1)).toMatchObject({ event: "values", data: asked });
  const run_id = runIdOf(first);
  const question = { value: { question: "Your name?" } };
  expect(await threads.get(thread_id)).toMatchObject({
    status: "interrupted",
    values: { x: 1 },
    interrupts: { [run_id]: [question] },
  });
  const state = await threads.getState(thread_id);
  expect(state).toMatchObject({ next: [asker], tasks: [{ name: asker, interrupts: [question] }] });
  expect(await runs.get(thread_id, run_id)).toMatchObject({ status: "success" });
  // As useStream does it, with the head's checkpoint.
  const { thread_id: _, ...checkpoint } = state.checkpoint;
  const second = await collect(
    runs.stream(thread_id, asker, { command: { resume: "Ada" }, streamMode: "updates", checkpoint }),
  );
  expect(second[0]).toMatchObject({ event: "metadata", data: { attempt: 2 } });
  expect(named(second, "updates")).toMatchObject([{ __interrupt__: [{ value: "Is Ada right?" }] }]);
  const { __interrupt__: open = [] } = { ...(second.at(-1)?.data as { __interrupt__?: { id: string }[] } | undefined) };
  const id = open[0]?.id ?? "";
  await expect(runs.wait(thread_id, asker, { command: { resume: 1 } })).rejects.toThrow("response");
  await expect(runs.wait(thread_id, asker, { command: { resume: { [id.replace(/.$/, "_")]: "x" } } })).rejects.toThrow(
    "HTTP 4",
  );
  expect(await runs.wait(thread_id, asker, { command: { resume: { [id]: "yes" } } })).toMatchObject({
    name: "Ada",
    sure: "yes",
  });
  expect(await threads.get(thread_id)).toMatchObject({
    status: "idle",
    interrupts: {},
    values: { name: "Ada", sure: "yes" },
  });
  await expect(runs.wait(thread_id, asker, { command: { resume: "again" } })).rejects.toMatchObject({ status: 422 });
});

test("wait gives a question or a failure as the server does, and the client throws the failure", async () => {
  const thread_id = await newThread();
  expect(await runs.wait(thread_id, asker, { input: {} })).toMatchObject({
    __interrupt__: [{ value: { question: "Your name?" } }],
  });
  await expect(runs.wait(null, speaker, { input: say("x", { fail: true }) })).rejects.toThrow("ValueError: boom");
  const failed = await runs.wait(null, speaker, { input: say("x", { fail: true }), raiseError: false });
  expect(failed).toEqual({ __error__: { error: "ValueError", message: "boom" } });
  const events = await collect(runs.stream(null, speaker, { input: say("x", { fail: true }), streamMode: "updates" }));
  expect(events.at(-1)).toMatchObject({ event: "error", data: { error: "ValueError", message: "boom" } });
});

// ── cuts ──

test("a stream that is cut at any tenth event goes on without a gap or a repetition", async () => {
  const input = say("hi", { more: 40, look: true });
  const streamMode: ["messages-tuple", "values"] = ["messages-tuple", "values"];
  const thread_id = await newThread();
  const whole = await collect(runs.stream(thread_id, speaker, { input, streamMode }));
  expect(whole.length).toBeGreaterThan(45);
  const textOf = (events: Sent[]) =>
    (named(events, "messages") as [{ content: string }][]).map(([{ content }]) => content).join("");
  const requests: string[] = [];
  const cuts = [10, 20, 30, 40].map(async (after) => {
    let isCut = false;
    const cutting = clientOf(async (to, init) => {
      const response = await fetch(to, init);
      requests.push(`${init?.method} ${new URL(new Request(to).url).pathname}`);
      if (isCut) return response;
      isCut = true;
      return cutAfter(response, after);
    });
    const created: { run_id?: string } = {};
    const other = await newThread();
    const events = await collect(
      cutting.runs.stream(other, speaker, { input, streamMode, onRunCreated: (run) => Object.assign(created, run) }),
    );
    expect(textOf(events)).toBe(textOf(whole));
    expect(events.map(({ event }) => event)).toEqual(whole.map(({ event }) => event));
    expect(requests).toContain(`GET /langgraph/threads/${other}/runs/${created.run_id}/stream`);
  });
  await Promise.all(cuts);
});

/** The same answer, whose connection breaks after so many events. */
function cutAfter(response: Response, events: number): Response {
  let seen = "";
  const reader = response.body?.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      if (done) return controller.close();
      seen += new TextDecoder().decode(value);
      const end = seen.split("\n\n").slice(0, events).join("\n\n").length + 2;
      if (seen.split("\n\n").length <= events) return controller.enqueue(value);
      const from = seen.length - new TextDecoder().decode(value).length;
      if (end > from) controller.enqueue(new TextEncoder().encode(seen.slice(from, end)));
      void reader?.cancel();
      await Promise.resolve();
      controller.error(new TypeError("terminated"));
    },
  });
  const { status, headers } = response;
  return new Response(body, { status, headers });
}

test("a run is joined from its start, or after an event, in the modes that are asked for", async () => {
  const thread_id = await newThread();
  const { run_id } = await runs.create(thread_id, speaker, { input: say("hi", { more: 5 }) });
  const modes: ("messages-tuple" | "values")[] = ["messages-tuple", "values"];
  const whole = await collect(runs.joinStream(thread_id, run_id, { streamMode: modes, lastEventId: "-1" }));
  expect(named(whole, "messages")).toHaveLength(8);
  const rest = await collect(
    runs.joinStream(thread_id, run_id, { streamMode: modes, lastEventId: whole[4]?.id ?? "" }),
  );
  expect(rest).toEqual(whole.slice(5));
  expect(await collect(runs.joinStream(thread_id, run_id, { lastEventId: whole.at(-1)?.id ?? "" }))).toEqual([]);
  await expect(collect(runs.joinStream(thread_id, run_id, { lastEventId: "seven" }))).rejects.toMatchObject({
    status: 400,
  });
  expect(await runs.join(thread_id, run_id)).toEqual(whole.at(-1)?.data);
});

// ── runs beside each other ──

test("cancel ends a run, its stream ends with an error; rollback forgets the run", async () => {
  const thread_id = await newThread();
  const events: Sent[] = [];
  for await (const event of runs.stream(thread_id, speaker, {
    input: say("hi", { wait: true }),
    streamMode: "messages-tuple",
  })) {
    events.push(event);
    if (events.length === 4) await runs.cancel(thread_id, runIdOf(events));
  }
  expect(events.at(-1)).toMatchObject({ event: "error", data: { error: "cancelled" } });
  expect(await runs.get(thread_id, runIdOf(events))).toMatchObject({ status: "interrupted" });
  await runs.cancel(thread_id, runIdOf(events));
  const { run_id } = await runs.create(thread_id, speaker, { input: say("hi", { wait: true }) });
  await runs.cancel(thread_id, run_id, true, "rollback");
  await expect(runs.get(thread_id, run_id)).rejects.toMatchObject({ status: 404 });
  await expect(runs.cancel(thread_id, "nobody")).rejects.toMatchObject({ status: 404 });
});

test("multitaskStrategy decides per request; the default refuses", async () => {
  const thread_id = await newThread();
  const { run_id } = await runs.create(thread_id, speaker, { input: say("hi", { wait: true }) });
  await expect(runs.create(thread_id, speaker, { input: say("again") })).rejects.toThrow("already running a task");
  const queued = await runs.create(thread_id, speaker, { input: say("queued"), multitaskStrategy: "enqueue" });
  expect(queued.status).toBe("pending");
  expect((await runs.list(thread_id, { status: "pending" })).map((run) => run.run_id)).toEqual([queued.run_id]);
  expect(await threads.get(thread_id)).toMatchObject({ status: "busy" });
  const last = await runs.wait(thread_id, speaker, { input: say("now"), multitaskStrategy: "interrupt" });
  expect(last).toMatchObject({ topic: "now" });
  expect(await runs.get(thread_id, run_id)).toMatchObject({ status: "interrupted" });
  const selected = await runs.list(thread_id, { select: ["run_id", "status"], limit: 1 });
  expect(selected).toEqual([{ run_id: expect.any(String), status: "success" }]);
});

test("onDisconnect cancel ends the run with its reader, continue does not", async () => {
  const thread_id = await newThread();
  for (const onDisconnect of ["cancel", "continue"] as const) {
    const stop = new AbortController();
    const stream = runs.stream(thread_id, speaker, {
      input: say("hi", { wait: true }),
      streamMode: "messages-tuple",
      onDisconnect,
      signal: stop.signal,
    });
    const events: Sent[] = [];
    await (async () => {
      for await (const event of stream) {
        events.push(event);
        if (events.length === 4) stop.abort();
      }
    })().catch(() => undefined);
    const statusOf = async () => (await runs.get(thread_id, runIdOf(events))).status;
    if (onDisconnect === "cancel") await waitFor(async () => (await statusOf()) === "interrupted");
    else expect(await statusOf()).toBe("running");
    await runs.cancel(thread_id, runIdOf(events), true);
  }
});

test("a thread's stream is that of the run that is going on, and can be resumed", async () => {
  const thread_id = await newThread();
  expect(await collect(threads.joinStream(thread_id))).toEqual([]);
  const { run_id } = await runs.create(thread_id, speaker, { input: say("hi", { wait: true }) });
  const events: Sent[] = [];
  for await (const event of threads.joinStream(thread_id)) {
    events.push(event);
    if (named(events, "messages").length === 3 && events.length < 30) await runs.cancel(thread_id, run_id);
  }
  expect(runIdOf(events)).toBe(run_id);
  expect(events.at(-1)?.event).toBe("error");
  expect(await collect(threads.joinStream(thread_id, { lastEventId: events.at(-1)?.id ?? "" }))).toEqual([]);
});

// ── refusals ──

test("what can't be done is refused once, with the field and the reason", async () => {
  const thread_id = await newThread();
  const trying = { stream: (more: object) => collect(runs.stream(thread_id, speaker, { input: {}, ...more })) };
  const refusals: [object, string][] = [
    [{ interruptBefore: ["a"] }, "interrupt_before"],
    [{ context: { a: 1 } }, "context"],
    [{ config: { configurable: { model: "x" } } }, "model"],
    [{ afterSeconds: 5 }, "after_seconds"],
    [{ command: { goto: "a" } }, "goto"],
    [{ command: { update: { a: 1 } } }, "update"],
    [{ checkpointId: "run_gone" }, "checkpoint"],
    [{ input: "text" }, "input"],
    [{ webhook: "ftp://x" }, "webhook"],
    [{ streamMode: "nothing" }, "stream_mode"],
  ];
  for (const [more, name] of refusals)
    await expect(trying.stream(more)).rejects.toMatchObject({ status: 422, message: expect.stringContaining(name) });
  await expect(collect(runs.stream(thread_id, "nobody"))).rejects.toThrow(/HTTP 404: .*"detail":"No agent with the id/);
  await expect(collect(runs.stream("nowhere", speaker))).rejects.toMatchObject({ status: 404 });
  await expect(collect(runs.stream(thread_id, "not an id!"))).rejects.toMatchObject({ status: 404 });
  const made = await collect(runs.stream("nowhere", speaker, { input: say("hi"), ifNotExists: "create" }));
  expect(made.at(-1)?.event).toBe("values");
  expect(await collect(runs.stream(null, `${speaker}@1.0.0`, { input: say("hi") }))).not.toEqual([]);
  await expect(collect(runs.stream(null, `${speaker}@9.9.9`))).rejects.toMatchObject({ status: 404 });
});

// ── every call of the client ──

/** The public methods of the client's parts, from its own type declarations. */
function declaredCalls(): string[] {
  const entry = createRequire(import.meta.url).resolve("@langchain/langgraph-sdk");
  const text = readFileSync(new URL("client.d.ts", `file://${entry}`), "utf8");
  const parts = text.split(/^declare class /m).slice(1);
  return parts.flatMap((part) => {
    const name = /^(\w+)Client\b/.exec(part)?.[1]?.toLowerCase();
    if (!name || name === "base") return [];
    const methods = [...part.matchAll(/^ {2}(?!private|protected|static|constructor)(\w+)[<(]/gm)].map(
      ([, method]) => method,
    );
    return [...new Set(methods)].map((method) => `${name}.${method}`);
  });
}

test("of all calls of the client at least 40 work, and the others are refused with a reason", async () => {
  const thread_id = await newThread();
  const { run_id } = await runs.create(thread_id, speaker, { input: say("hi") });
  await runs.join(thread_id, run_id);
  const doomed = await makeAgent(url, "def main(input): return {}\n");
  const cron = await crons.create(speaker, { schedule: "0 8 * * *", input: say("x") });
  await store.putItem(["users", "ada"], "k", { a: 1 });
  const calls: Record<string, () => unknown> = {
    "assistants.get": () => assistants.get(speaker),
    "assistants.getGraph": () => assistants.getGraph(speaker, { xray: true }),
    "assistants.getSchemas": () => assistants.getSchemas(speaker),
    "assistants.getSubgraphs": () => assistants.getSubgraphs(speaker, { namespace: "sub", recurse: true }),
    "assistants.create": () => assistants.create({ graphId: speaker, name: "Mine" }),
    "assistants.update": () =>
      assistants.update(speaker, { name: "Speaker", metadata: { team: "a" }, description: "d" }),
    "assistants.delete": () => assistants.delete(doomed),
    "assistants.search": () => assistants.search({ limit: 2, includePagination: true }),
    "assistants.count": () => assistants.count({ graphId: speaker }),
    "assistants.getVersions": () => assistants.getVersions(speaker),
    "assistants.setLatest": () => assistants.setLatest(speaker, 1),
    "threads.get": () => threads.get(thread_id),
    "threads.create": () => threads.create({ metadata: { user: "ada" }, graphId: speaker }),
    "threads.copy": () => threads.copy(thread_id),
    "threads.update": () => threads.update(thread_id, { metadata: { topic: "x" } }),
    "threads.delete": async () => threads.delete(await newThread()),
    "threads.search": () => threads.search({ metadata: { user: "ada" } }),
    "threads.count": () => threads.count({ status: "idle" }),
    "threads.getState": () => threads.getState(thread_id, run_id, { subgraphs: true }),
    "threads.updateState": () => threads.updateState(thread_id, { values: { name: "Eve" } }),
    "threads.patchState": () => threads.patchState(thread_id, { note: "x" }),
    "threads.getHistory": () => threads.getHistory(thread_id),
    "threads.joinStream": () => collect(threads.joinStream(thread_id)),
    "runs.stream": () => collect(runs.stream(thread_id, speaker, { input: say("hi") })),
    "runs.create": () => runs.create(null, speaker, { input: say("hi") }),
    "runs.createBatch": () => runs.createBatch([{ assistantId: speaker, input: say("a") }, { assistantId: speaker }]),
    "runs.wait": () => runs.wait(null, speaker, { input: say("hi") }),
    "runs.list": () => runs.list(thread_id),
    "runs.get": () => runs.get(thread_id, run_id),
    "runs.cancel": () => runs.cancel(thread_id, run_id, true),
    "runs.join": () => runs.join(thread_id, run_id),
    "runs.joinStream": () => collect(runs.joinStream(null, run_id)),
    "runs.delete": () => runs.delete(thread_id, run_id),
    "crons.createForThread": () => crons.createForThread(thread_id, speaker, { schedule: "0 9 * * *", input: {} }),
    "crons.create": () => crons.create(speaker, { schedule: "0 8 * * *", input: {}, enabled: false }),
    "crons.update": () => crons.update(cron.cron_id, { enabled: false, schedule: "0 7 * * *" }),
    "crons.delete": () => crons.delete(cron.cron_id),
    "crons.search": () => crons.search({ assistantId: speaker }),
    "crons.count": () => crons.count({ threadId: thread_id }),
    "store.putItem": () => store.putItem(["users", "ada"], "k", { a: 2 }, { ttl: 60 }),
    "store.getItem": () => store.getItem(["users", "ada"], "k"),
    "store.searchItems": () => store.searchItems(["users"], { filter: { a: 2 } }),
    "store.listNamespaces": () => store.listNamespaces({ prefix: ["users"], maxDepth: 1 }),
    "store.deleteItem": () => store.deleteItem(["users", "ada"], "k"),
    "ui.getComponent": () => client["~ui"].getComponent(speaker, "widget"),
  };
  const declared = declaredCalls();
  expect(Object.keys(calls).toSorted()).toEqual(declared.toSorted());
  const refused: string[] = [];
  for (const [name, make] of Object.entries(calls))
    await Promise.resolve(make()).catch((error: unknown) => {
      const { status = 0, message = "" } = error as { status?: number; message?: string };
      expect([name, [404, 422].includes(status), message]).toEqual([name, true, expect.stringContaining('"detail"')]);
      refused.push(name);
    });
  expect(refused).toEqual(["assistants.create", "threads.patchState", "ui.getComponent"]);
  expect(declared.length - refused.length).toBeGreaterThanOrEqual(40);
  // docs/langgraph.md has a row for each of them.
  const rows = readFileSync(new URL("../../docs/langgraph.md", import.meta.url), "utf8");
  const table = new Map(
    [...rows.matchAll(/^\| `(\w+\.\w+)` \| (works|refused)/gm)].map(([, name, verdict]) => [name, verdict]),
  );
  expect(Object.fromEntries(table)).toEqual(
    Object.fromEntries(declared.map((name) => [name, refused.includes(name) ? "refused" : "works"])),
  );
});

test("assistants are agents with their versions by number", async () => {
  const id = await makeAgent(url, "def main(input): return {}\n", { input_schema: { type: "object" } });
  await call(url, "POST", `/v1/versions/${id}`, {
    version: "2.0.0",
    config: { source: "def main(input): return {}\n" },
  });
  expect(await assistants.get(id)).toMatchObject({ assistant_id: id, graph_id: id, version: 1 });
  expect(await assistants.getSchemas(id)).toMatchObject({ graph_id: id, input_schema: { type: "object" } });
  expect((await assistants.getVersions(id)).map(({ version }) => version)).toEqual([2, 1]);
  expect(await assistants.setLatest(id, 2)).toMatchObject({ version: 2 });
  await assistants.update(id, { name: "Named 50%", metadata: { team: "a" }, description: "does it" });
  const found = await assistants.search({ name: "named 50%", metadata: { team: "a" } });
  expect(found).toMatchObject([{ assistant_id: id, name: "Named 50%", description: "does it" }]);
  expect(await assistants.count({ metadata: { team: "b" } })).toBe(0);
  const page = await assistants.search({ limit: 1, includePagination: true, sortBy: "name", select: ["assistant_id"] });
  expect(page).toEqual({ assistants: [{ assistant_id: expect.any(String) }], next: "1" });
  const { nodes, edges } = await assistants.getGraph(id);
  expect([nodes.map((node) => node.id), edges.length]).toEqual([["__start__", id, "__end__"], 2]);
  await expect(assistants.setLatest(id, 9)).rejects.toMatchObject({ status: 404 });
  await expect(assistants.update(id, { graphId: speaker })).rejects.toMatchObject({ status: 422 });
  expect(await assistants.delete(id)).toEqual([id]);
  await expect(assistants.get(id)).rejects.toMatchObject({ status: 404 });
});

test("threads are found by metadata, status and id, page by page", async () => {
  const made = [];
  for (const at of [1, 2, 3]) made.push(await threads.create({ metadata: { set: "search", at }, graphId: speaker }));
  const ids = made.map((thread) => thread.thread_id);
  const found = await threads.search({ metadata: { set: "search" }, sortBy: "created_at", sortOrder: "asc" });
  expect(found.map((thread) => thread.thread_id)).toEqual(ids);
  expect(await threads.count({ metadata: { set: "search", at: 2 } })).toBe(1);
  expect(await threads.search({ metadata: { graph_id: speaker, set: "search" }, limit: 1, offset: 1 })).toMatchObject([
    { thread_id: ids[1] },
  ]);
  expect(await threads.search({ ids: [ids[2] ?? ""], select: ["thread_id", "status"] })).toEqual([
    { thread_id: ids[2], status: "idle" },
  ]);
  await collect(runs.stream(ids[0] ?? "", asker, { input: {} }));
  expect(await threads.search({ metadata: { set: "search" }, status: "interrupted" })).toMatchObject([
    { thread_id: ids[0] },
  ]);
  // A thread that names no graph, as useStream makes it, is one of the agent that runs on it first.
  const bare = await threads.create({ metadata: { set: "bare" } });
  await runs.wait(bare.thread_id, speaker, { input: say("hi") });
  expect(await threads.search({ metadata: { graph_id: speaker, set: "bare" } })).toMatchObject([
    { thread_id: bare.thread_id, metadata: { assistant_id: speaker } },
  ]);
  // A text that Postgres can't search is no reason for an error.
  await threads.create({ metadata: { set: "\0" } });
  expect(await threads.search({ metadata: { set: "\0" } })).toEqual([]);
  await expect(threads.search({ values: { a: 1 } })).rejects.toMatchObject({ status: 422 });
  await expect(threads.create({ threadId: ids[0] ?? "" })).rejects.toMatchObject({ status: 409 });
  expect(await threads.create({ threadId: ids[0] ?? "", ifExists: "do_nothing" })).toMatchObject({ thread_id: ids[0] });
  await expect(threads.create({ ttl: 5 })).rejects.toMatchObject({ status: 422 });
});

test("a state that is set reaches the next run, and supersteps begin a thread with one", async () => {
  const keeper = await makeAgent(
    url,
    py`
      import json
      def main(input, context):
          return {"got": json.loads(context.state_snapshot or "{}")}
    `,
  );
  const { thread_id } = await threads.create({
    supersteps: [{ updates: [{ values: { a: 1 }, asNode: "__start__" }] }],
  });
  expect((await threads.getState(thread_id)).values).toEqual({ a: 1 });
  expect(await threads.updateState(thread_id, { values: { b: 2, ...say("set") } })).toMatchObject({
    checkpoint: { thread_id },
  });
  const values = await runs.wait(thread_id, keeper, { input: {} });
  expect(values).toMatchObject({ a: 1, b: 2, got: { a: 1, b: 2 }, messages: [{ type: "human", content: "set" }] });
  const empty = await threads.getState(await newThread());
  expect(empty).toMatchObject({ values: {}, next: [], tasks: [], checkpoint: null, parent_checkpoint: null });
  expect(await threads.getHistory(await newThread())).toEqual([]);
});

test("a state that an agent saved as a value is shown and updated as one, and one that is no object is not overwritten", async () => {
  const saver = await makeAgent(
    url,
    py`
      def main(input, context):
          if "save" in input:
              context.save_state(input["save"])
          return {"got": context.state, "text": isinstance(context.state, str)}
    `,
  );
  const after = async (thread_id: string) => (await threads.getState(thread_id)).values;
  const thread_id = await newThread();
  await runs.wait(thread_id, saver, { input: { save: { score: 1 } } });
  expect(await after(thread_id)).toMatchObject({ score: 1 });
  await threads.updateState(thread_id, { values: { name: "Ada" } });
  const got = await runs.wait(thread_id, saver, { input: {} });
  expect(got).toMatchObject({ score: 1, name: "Ada", got: { score: 1, name: "Ada" }, text: false });
  const made = await threads.create({ supersteps: [{ updates: [{ values: { a: 1 }, asNode: "__start__" }] }] });
  expect(await runs.wait(made.thread_id, saver, { input: {} })).toMatchObject({ got: { a: 1 }, text: false });
  // A text that is JSON stays a text.
  await runs.wait(thread_id, saver, { input: { save: '{"score": 2}' } });
  await threads.updateState(thread_id, { values: { name: "Eve" } });
  expect(await runs.wait(thread_id, saver, { input: {} })).toMatchObject({ score: 2, name: "Eve", text: true });
  for (const save of [[1, 2], "words"]) {
    await runs.wait(thread_id, saver, { input: { save } });
    await expect(threads.updateState(thread_id, { values: { a: 1 } })).rejects.toMatchObject({ status: 422 });
    expect(await runs.wait(thread_id, saver, { input: {} })).toMatchObject({ got: save });
  }
});

test("a batch of which a later run is refused starts none: those before it are cancelled", async () => {
  const user_id = "narrow";
  const config = { source: "import time\ndef main(input): time.sleep(60)\n" };
  const { body } = await call(url, "POST", "/v1/agents", { user_id, name: "a", config });
  const assistantId = String(body["id"]);
  await call(url, "PUT", "/v1/billing/plans/narrow", { name: "narrow", max_concurrent_runs: 2 });
  await call(url, "POST", "/v1/billing/subscriptions", { user_id, plan_id: "narrow" });
  const batch = Array.from({ length: 4 }, () => ({ assistantId, input: {} }));
  await expect(runs.createBatch(batch)).rejects.toMatchObject({ status: 429 });
  await waitFor(async () => {
    const { body: list } = await call(url, "GET", `/v1/runs?agent_id=${assistantId}`);
    const statuses = (list["data"] as { status: string }[]).map(({ status }) => status);
    return statuses.length === 2 && statuses.every((status) => status === "cancelled");
  });
});

test("crons are scheduled jobs", async () => {
  const thread_id = await newThread();
  const cron = await crons.createForThread(thread_id, asker, {
    schedule: "0 8 * * *",
    input: { x: 1 },
    metadata: { a: 1 },
  });
  expect(cron).toMatchObject({ assistant_id: asker, thread_id, schedule: "0 8 * * *", payload: { input: { x: 1 } } });
  expect((await call(url, "GET", `/v1/jobs/${cron.cron_id}`)).body).toMatchObject({ status: "active", thread_id });
  expect(await crons.search({ assistantId: asker, select: ["cron_id"] })).toEqual([{ cron_id: cron.cron_id }]);
  const paused = await crons.update(cron.cron_id, { enabled: false, endTime: "2099-01-01T00:00:00Z", input: { x: 2 } });
  expect(paused).toMatchObject({ enabled: false, end_time: "2099-01-01T00:00:00.000Z", next_run_date: null });
  expect(await crons.search({ threadId: thread_id, enabled: true })).toEqual([]);
  expect(await crons.update(cron.cron_id, { enabled: true, schedule: "0 7 * * *" })).toMatchObject({
    enabled: true,
    schedule: "0 7 * * *",
    payload: { input: { x: 2 } },
  });
  await expect(crons.create(asker, { schedule: "never", input: {} })).rejects.toMatchObject({ status: 422 });
  await expect(crons.create("nobody", { schedule: "0 8 * * *", input: {} })).rejects.toMatchObject({ status: 404 });
  await crons.delete(cron.cron_id);
  await expect(crons.delete(cron.cron_id)).rejects.toMatchObject({ status: 404 });
  expect(await crons.count({ assistantId: asker })).toBe(0);
});
