import OpenAI from "openai";
import { TextStreamChatTransport } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "../harness/client.ts";
import { readChat, submission } from "../harness/read-chat.ts";
import { openTalkers, type Talkers } from "../harness/talkers.ts";

let host: Talkers;
beforeAll(async () => {
  host = await openTalkers();
});
afterAll(() => host?.close());

// ── text ──

test("format=text is what the agent says, also to the AI SDK's text transport; a failure is a line in brackets", async () => {
  const told = await host.start("text", host.talker, { name: "Ada" });
  expect(told.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await told.text()).toBe('Hello, Ada{"score":1}');
  expect(await (await host.start("text", host.mute)).text()).toBe("only a result");
  const transport = new TextStreamChatTransport({ fetch: () => host.start("text", host.talker, { fail: true }) });
  const { texts } = await readChat(await transport.sendMessages(submission));
  expect(texts).toEqual(['Hello, you{"score":1}\n[boom]\n']);
});

test("format=text says what is void and what is asked", async () => {
  expect(await (await host.streamOf("text", await host.askedTwice())).text()).toBe(
    'attempt 1\n[Your name?]\n\n[attempt 2: the text above is void (resumed)]\nattempt 2\n[{"question":"Sure?"}]\n',
  );
});

// ── openai ──

const openai = () =>
  new OpenAI({
    apiKey: "none",
    baseURL: host.url,
    maxRetries: 0,
    // Its request is OpenAI's; the answer is ours as it is.
    fetch: (to, init) => {
      const { href, pathname } = new URL(to instanceof Request ? to.url : to);
      if (pathname !== "/chat/completions") return fetch(href, init);
      const { model, messages } = JSON.parse(init?.body as string) as Record<string, string & { content: string }[]>;
      return host.start("openai", model ?? "", JSON.parse(messages?.[0]?.content ?? "{}") as object);
    },
  });
const complete = (agent: string, input: object) =>
  openai().chat.completions.stream({ model: agent, messages: [{ role: "user", content: JSON.stringify(input) }] });

test("the openai client reads a run as a chat completion, with its usage", async () => {
  const completion = await complete(host.talker, { name: "Ada" }).finalChatCompletion();
  expect(completion).toMatchObject({
    object: "chat.completion",
    model: host.talker,
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: 'Hello, Ada{"score":1}' } }],
    usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
  });
  expect(await complete(host.mute, {}).finalContent()).toBe("only a result");
});

test("the openai client throws a run's failure and its cancellation", async () => {
  await expect(complete(host.talker, { fail: true }).finalContent()).rejects.toMatchObject({
    name: "Error",
    code: "agent_error",
    type: "ValueError",
    error: { message: "boom" },
  });
  await expect(readChunks(await host.cancelled())).rejects.toMatchObject({ code: "cancelled" });
});

test("the openai client reads a run that waits for a person up to its question; tools and files ride along", async () => {
  const { text, finish } = await readChunks(await host.askedTwice());
  expect(text).toContain("[attempt 2: the text above is void (resumed)]\nattempt 2");
  expect([text.endsWith('[{"question":"Sure?"}]\n'), finish]).toEqual([true, "stop"]);
  const { events } = await readChunks(await host.talked());
  expect(events).toEqual(expect.arrayContaining(["progress", "tool.start", "tool.end", "artifact", "custom"]));
});

async function readChunks(runId: string) {
  const read: { text: string; finish: string | null; events: string[] } = { text: "", finish: null, events: [] };
  type Chunk = OpenAI.ChatCompletionChunk & { runfleet?: { type: string } };
  const stream = await openai().get<AsyncIterable<Chunk>>(`/v1/runs/${runId}/stream`, {
    query: { format: "openai" },
    stream: true,
  });
  for await (const { choices, runfleet } of stream) {
    read.text += choices[0]?.delta.content ?? "";
    read.finish = choices[0]?.finish_reason ?? null;
    if (runfleet) read.events.push(runfleet.type);
  }
  return read;
}

// ── all ──

test("in every format with ids, what comes after an id is the rest of the whole, and after the last there is 204", async () => {
  const runId = await host.talked();
  for (const format of ["openai", "ai-sdk", "ag-ui", "langgraph"]) {
    const whole = await (await host.streamOf(format, runId)).text();
    const ids = [...whole.matchAll(/^id: (.+)$/gm)].map(([, id]) => String(id));
    expect(ids.length).toBeGreaterThan(8);
    for (const id of [ids[0], ids[4], ids[7]]) {
      const rest = await (await host.streamOf(format, runId, { "last-event-id": String(id) })).text();
      const place = whole.indexOf("\n\n", whole.indexOf(`id: ${id}\n`)) + 2;
      expect(rest).toBe(whole.slice(place));
    }
    expect((await host.streamOf(format, runId, { "last-event-id": String(ids.at(-1)) })).status).toBe(204);
  }
});

test("another format is a 422 that names the known ones", async () => {
  const { status, body: answer } = await call(host.url, "GET", "/v1/runs/any/stream?format=xml");
  expect([status, answer["detail"]]).toMatchObject([
    422,
    [
      {
        type: "enum",
        loc: ["query", "format"],
        msg: expect.stringContaining("'text', 'openai', 'ai-sdk', 'ag-ui' or 'langgraph'"),
      },
    ],
  ]);
});
