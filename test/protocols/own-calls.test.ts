import { randomUUID } from "node:crypto";
import { HttpAgent } from "@ag-ui/client";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { call, makeAgent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { PlainChat, questionIn } from "./clients/ai-sdk.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const agent = await makeAgent(
  url,
  py`
    import json, time
    def main(input, context):
        prompt = input["prompt"]
        context.usage(input_tokens=3, output_tokens=5)
        if prompt == "fail":
            yield "so far "
            raise ValueError("boom")
        if prompt == "stay":
            yield "staying"
            time.sleep(60)
        if prompt == "approve":
            yield "I need a yes. "
            answer = context.interrupt("Delete it?", reason="danger")
            yield json.dumps(answer)
        elif prompt == "state":
            context.save_state({"n": (context.state or {}).get("n", 0) + 1})
            yield json.dumps([input["state"], len(input["tools"]), input["context"], input["forwardedProps"]])
        elif prompt == "params":
            yield json.dumps([input["params"], context.metadata])
        else:
            yield "It is "
            yield "sunny."
    `,
);

const openai = new OpenAI({ apiKey: "none", baseURL: `${url}/openai/v1`, maxRetries: 0 });
const patience = { timeout: 15_000 };
const user = (content: string) => [{ role: "user" as const, content }];

test("OpenAI: agents are models, by id, tag and version", async () => {
  await call(url, "PUT", `/v1/versions/${agent}/tags/prod`, { version: "1.0.0" });
  const listed: string[] = [];
  for await (const { id } of openai.models.list()) listed.push(id);
  expect(listed).toEqual([agent, `${agent}@prod`, `${agent}@1.0.0`]);
  expect(await openai.models.retrieve(`${agent}@1.0.0`)).toMatchObject({ id: `${agent}@1.0.0`, object: "model" });
  await expect(openai.models.retrieve(`${agent}@2.0.0`)).rejects.toMatchObject({
    status: 404,
    code: "model_not_found",
  });
  const { choices } = await openai.chat.completions.create({ model: `${agent}@prod`, messages: user("hi") });
  expect(choices[0]?.message.content).toBe("It is sunny.");
});

test("OpenAI: a completion has its usage, streamed or not, and what the client says of it is the run's metadata", async () => {
  const request = { model: agent, messages: user("params"), user: "ada", metadata: { trace: "x" }, temperature: 0.5 };
  const { usage, choices } = await openai.chat.completions.create(request);
  expect(usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 });
  expect(JSON.parse(choices[0]?.message.content ?? "")).toEqual([{ temperature: 0.5 }, { trace: "x", user: "ada" }]);
  const options = { stream: true, stream_options: { include_usage: true } } as const;
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of await openai.chat.completions.create({ ...request, ...options })) chunks.push(chunk);
  expect([chunks.at(-1)?.choices, chunks.at(-1)?.usage?.total_tokens]).toEqual([[], 8]);
  const others = chunks.slice(0, -1);
  expect(others.length).toBeGreaterThan(0);
  expect(others.every((chunk) => chunk.usage === null)).toBe(true);
});

test("OpenAI: a failed run is an error of the library, and the agent is not run again", async () => {
  const asked = { model: agent, messages: user("fail") };
  const before = await countRuns();
  const retrying = new OpenAI({ apiKey: "none", baseURL: `${url}/openai/v1` });
  await expect(retrying.chat.completions.create(asked)).rejects.toMatchObject({ status: 500, code: "agent_error" });
  expect(await countRuns()).toBe(before + 1);
  await expect(openai.chat.completions.stream(asked).finalContent()).rejects.toMatchObject({ code: "agent_error" });
  expect(await openai.responses.create({ model: agent, input: "fail" })).toMatchObject({
    status: "failed",
    error: { code: "server_error", message: "boom (agent_error)" },
    output_text: "so far ",
  });
  const stream = openai.responses.stream({ model: agent, input: "fail" });
  expect(await stream.finalResponse()).toMatchObject({ status: "failed" });
});

const countRuns = async () =>
  ((await call(url, "GET", `/v1/runs?agent_id=${agent}&limit=100`)).body["data"] as unknown[]).length;

test("OpenAI: a response in the background is retrieved, cancelled, listed and deleted", async () => {
  const begun = await openai.responses.create({ model: agent, input: "hi", background: true, metadata: { a: "b" } });
  expect([begun.status, begun.background, begun.metadata]).toEqual(["queued", true, { a: "b" }]);
  await expect.poll(async () => (await openai.responses.retrieve(begun.id)).status, patience).toBe("completed");
  expect(await openai.responses.retrieve(begun.id)).toMatchObject({
    output_text: "It is sunny.",
    metadata: { a: "b" },
    usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
  });
  const items = await openai.responses.inputItems.list(begun.id);
  expect(items.data).toMatchObject([{ role: "user", content: [{ type: "input_text", text: "hi" }] }]);
  const after: number[] = [];
  for await (const event of await openai.responses.retrieve(begun.id, { stream: true, starting_after: 5 }))
    after.push(event.sequence_number);
  expect(after[0]).toBe(6);
  const replayed = await openai.responses.stream({ response_id: begun.id, starting_after: 3 }).finalResponse();
  expect(replayed.output_text).toBe("It is sunny.");

  const staying = await openai.responses.create({ model: agent, input: "stay", background: true });
  expect((await openai.responses.cancel(staying.id)).status).toBe("cancelled");
  await openai.responses.delete(staying.id);
  await expect(openai.responses.retrieve(staying.id)).rejects.toMatchObject({ status: 404 });
  await expect(
    openai.responses.create({ model: agent, input: "hi", previous_response_id: "resp_x" }),
  ).rejects.toMatchObject({ status: 400, code: "previous_response_not_found", param: "previous_response_id" });
});

test("OpenAI: a question is a call whose output is the answer, and each side of it a response of its own", async () => {
  const asked = await openai.responses.create({ model: agent, input: "approve" });
  expect(asked.output.map(({ type }) => type)).toEqual(["message", "function_call"]);
  const [, question] = asked.output;
  if (question?.type !== "function_call") throw new Error("Nothing is asked.");
  expect([question.name, JSON.parse(question.arguments)]).toMatchObject(["danger", { message: "Delete it?" }]);
  const output = JSON.stringify({ approved: true });
  const input = [{ type: "function_call_output" as const, call_id: question.call_id, output }];
  const answered = await openai.responses.create({ model: agent, input, previous_response_id: asked.id });
  expect([answered.output_text, answered.previous_response_id]).toEqual(['{"approved": true}', asked.id]);
  expect(answered.id).not.toBe(asked.id);
  expect((await openai.responses.retrieve(asked.id)).output_text).toBe("I need a yes. ");
  expect((await openai.responses.retrieve(answered.id)).output_text).toBe('{"approved": true}');
  const again: string[] = [];
  for await (const event of await openai.responses.retrieve(asked.id, { stream: true })) again.push(event.type);
  expect([again[0], again.at(-1)]).toEqual(["response.created", "response.completed"]);
});

test("OpenAI: a request that is not valid is a 400 that names the parameter, a path that there is not a 404", async () => {
  const wrong = { model: agent, messages: "hi" as never };
  await expect(openai.chat.completions.create(wrong)).rejects.toMatchObject({
    status: 400,
    type: "invalid_request_error",
    param: "messages",
    code: "invalid_value",
  });
  await expect(openai.embeddings.create({ model: agent, input: "x" })).rejects.toMatchObject({
    status: 404,
    error: { code: "not_found" },
  });
});

const chatOf = () => new PlainChat({ url, agent, key: "none", fetch });

test("AI SDK: a refused approval, a free answer and a second question", async () => {
  const refused = chatOf();
  await refused.sendMessage({ text: "approve" });
  const asked = questionIn(refused.lastMessage);
  expect(asked?.message).toBe("Delete it?");
  await refused.addToolApprovalResponse({ id: asked?.id ?? "", approved: false, reason: "no" });
  await expect.poll(() => [refused.status, refused.lastMessage?.parts.length], patience).toEqual(["ready", 5]);
  expect(refused.lastMessage?.parts.slice(1)).toMatchObject([
    { type: "text", text: "I need a yes. " },
    { type: "dynamic-tool", toolName: "danger", state: "output-denied" },
    { type: "step-start" },
    { type: "text", text: '{"approved": false, "reason": "no"}' },
  ]);
  const free = chatOf();
  await free.sendMessage({ text: "approve" });
  const toolCallId = questionIn(free.lastMessage)?.id ?? "";
  await free.addToolOutput({ tool: "danger" as never, toolCallId, output: { until: "noon" } });
  await expect.poll(() => [free.status, free.lastMessage?.parts.length], patience).toEqual(["ready", 5]);
  expect(free.lastMessage?.parts.at(-1)).toMatchObject({ text: '{"until": "noon"}' });
});

test("AI SDK: an error that the client's tool met is the answer to its question, and starts no other run", async () => {
  const chat = chatOf();
  await chat.sendMessage({ text: "approve" });
  const toolCallId = questionIn(chat.lastMessage)?.id ?? "";
  await chat.addToolOutput({ tool: "danger" as never, toolCallId, state: "output-error", errorText: "no disk" });
  await expect.poll(() => [chat.status, chat.lastMessage?.parts.length], patience).toEqual(["ready", 5]);
  expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ text: '{"error": "no disk"}' });
  const { body } = await call(url, "GET", `/v1/threads/${chat.id}/runs`);
  expect(body["data"]).toHaveLength(1);
});

test("AI SDK: a chat that rests has nothing to resume, and a turn is said again", async () => {
  const chat = chatOf();
  await chat.sendMessage({ text: "hi" });
  const [first] = [chat.lastMessage?.id];
  await chat.resumeStream();
  expect([chat.status, chat.messages.length]).toEqual(["ready", 2]);
  await chat.regenerate();
  expect([chat.messages.length, chat.lastMessage?.id === first]).toEqual([2, false]);
  await chat.sendMessage({ text: "fail" });
  expect([chat.status, chat.error?.message]).toEqual(["error", "boom"]);
});

const agUi = (state: object = {}) =>
  new HttpAgent({ url: `${url}/ag-ui/${agent}`, threadId: randomUUID(), initialState: state });

test("AG-UI: state, tools, context and forwarded properties reach the agent, and its state comes back", async () => {
  const client = agUi({ n: 6 });
  client.addMessage({ id: "u1", role: "user", content: "state" });
  const given = {
    tools: [{ name: "ask", description: "asks", parameters: { type: "object", properties: {} } }],
    context: [{ description: "place", value: "Berlin" }],
    forwardedProps: { temperature: 0 },
  };
  const { newMessages } = await client.runAgent(given);
  const got = JSON.stringify([{ n: 6 }, 1, given.context, given.forwardedProps]);
  expect(newMessages.map(({ content }) => content)).toEqual([got.replaceAll(/([,:])/g, "$1 ")]);
  expect(client.state).toEqual({ n: 7 });
});

test("AG-UI: an answer has a run id of its own and doubles nothing; a cancelled question ends the run", async () => {
  const client = agUi();
  client.addMessage({ id: "u1", role: "user", content: "approve" });
  await client.runAgent();
  const [asked] = client.pendingInterrupts;
  expect(asked).toMatchObject({ reason: "danger", message: "Delete it?" });
  const started: string[] = [];
  await client.runAgent(
    { runId: "answer-1", resume: [{ interruptId: asked?.id ?? "", status: "resolved", payload: { ok: 1 } }] },
    { onRunStartedEvent: ({ event }) => void started.push(event.runId) },
  );
  expect([started, client.pendingInterrupts]).toEqual([["answer-1"], []]);
  expect(client.messages.map(({ content }) => content)).toEqual(["approve", "I need a yes. ", '{"ok": 1}']);

  const cancelled = agUi();
  cancelled.addMessage({ id: "u1", role: "user", content: "approve" });
  await cancelled.runAgent();
  const outcomes: unknown[] = [];
  const resume = cancelled.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "cancelled" as const }));
  await cancelled.runAgent({ resume }, { onRunFinishedEvent: ({ outcome }) => void outcomes.push(outcome) });
  expect(outcomes).toEqual(["cancelled"]);
});

test("AG-UI: an answer to a question that is not asked is an error, and so is a thread id that is none", async () => {
  const post = (body: object) =>
    fetch(`${url}/ag-ui/${agent}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ threadId: "t1", runId: "r1", messages: [], ...body }),
    });
  const unknown = await post({ resume: [{ interruptId: "int_77", status: "resolved", payload: "x" }] });
  expect([unknown.status, await unknown.text()]).toEqual([
    409,
    "The thread 't1' is not waiting for an answer to 'int_77'.",
  ]);
  const wrong = await post({ threadId: "?" });
  expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining("body.threadId")]);
});

test("a service that restarts tells the readers of every protocol so, and their runs go on", async () => {
  const api = await stack.openApi();
  const post = (path: string, body: object) =>
    fetch(api.url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const messages = [{ role: "user", content: "stay" }];
  const parts = [{ type: "text", text: "stay" }];
  const readers = await Promise.all([
    post("/openai/v1/chat/completions", { model: agent, messages, stream: true }),
    post("/openai/v1/responses", { model: agent, input: "stay", stream: true }),
    post(`/ai-sdk/${agent}`, { id: randomUUID(), messages: [{ role: "user", parts }] }),
    post(`/ag-ui/${agent}`, { threadId: randomUUID(), runId: randomUUID(), messages }),
  ]);
  const said = Promise.all(readers.map((reader) => reader.text()));
  const runs = readers.map((reader) => String(reader.headers.get("x-run-id")));
  const statuses = () => Promise.all(runs.map(async (id) => (await call(url, "GET", `/v1/runs/${id}`)).body["status"]));
  await expect.poll(statuses, patience).toEqual(Array.from(runs, () => "running"));
  await api.close();
  const last = (await said).map((text) => text.trim().split("\n").at(-1) ?? "");
  expect(last).toEqual([
    expect.stringContaining('"error":{"message":"The connection ended'),
    expect.stringContaining('"error":{"message":"The connection ended'),
    expect.stringContaining('{"type":"error","errorText":"The connection ended'),
    expect.stringContaining('{"type":"RUN_ERROR","code":"leaving"'),
  ]);
  expect(await statuses()).toEqual(Array.from(runs, () => "running"));
  await Promise.all(runs.map((id) => call(url, "POST", `/v1/runs/${id}/cancel`)));
});
