import { Role } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from "@a2a-js/sdk/client";
import * as legacy from "a2a-sdk-0.3/client";
import { expect, test } from "vitest";
import { z } from "zod";
import { useKeyStack } from "./key-stack.ts";
import { differences, fill, learn, readRecorded, readReply, recordedReply } from "./recorded.ts";

const { url, other, key, makeKey } = await useKeyStack();

/** What both versions' objects are compared as. */
type Seen = {
  kind: "task" | "status" | "artifact";
  taskId: string;
  contextId: string;
  state?: string | undefined;
  text: string;
  append?: boolean | undefined;
  last?: boolean | undefined;
  history?: string[];
  data?: unknown[];
  metadata?: Record<string, unknown> | undefined;
};
type Said = { text: string; contextId?: string; taskId?: string; data?: Record<string, unknown> };

/** A client of one version, behind words that both have. */
type A2aClient = {
  send: (said: Said, waits?: boolean) => Promise<Seen>;
  stream: (said: Said) => AsyncIterable<Seen>;
  get: (id: string, historyLength?: number) => Promise<Seen>;
  cancel: (id: string) => Promise<Seen>;
  resubscribe: (id: string) => AsyncIterable<Seen>;
};

const bearer =
  (token: string): typeof fetch =>
  (to, init) =>
    fetch(to, { ...init, headers: { ...(init?.headers as object), authorization: `Bearer ${token}` } });

let messages = 0;
const newMessageId = () => `message-${++messages}`;

/** A part of either version, as its kind and value. */
const part = z
  .union([
    z.object({ content: z.object({ $case: z.string(), value: z.unknown() }) }),
    z.object({
      kind: z.string(),
      text: z.unknown().optional(),
      data: z.unknown().optional(),
      file: z.unknown().optional(),
    }),
  ])
  .transform((given) =>
    "content" in given
      ? { kind: given.content.$case, value: given.content.value }
      : { kind: given.kind, value: given.text ?? given.data ?? given.file },
  );
const parts = z.object({ parts: z.array(part) });
const states = ["unspecified", "submitted", "working", "completed", "failed", "canceled", "input-required"];
const state = z.union([z.string(), z.number().transform((number) => states[number] ?? "")]);
const object = z.object({
  id: z.string().optional(),
  taskId: z.string().optional(),
  contextId: z.string(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  status: z.object({ state, message: parts.optional() }).optional(),
  artifact: parts.optional(),
  artifacts: z.array(parts).default([]),
  history: z.array(parts).default([]),
  append: z.boolean().optional(),
  lastChunk: z.boolean().optional(),
});
const answer = z.union([
  z.object({ payload: z.object({ value: object }) }).transform(({ payload }) => payload.value),
  object,
]);

type Parts = z.output<typeof parts>;
const textOf = (said: Parts | undefined) =>
  (said?.parts ?? []).flatMap(({ kind, value }) => (kind === "text" ? [String(value)] : [])).join("");
const dataOf = (said: Parts) => said.parts.flatMap(({ kind, value }) => (kind === "text" ? [] : [value]));

/** Reads an object of either version. */
function seen(given: unknown): Seen {
  const { id, taskId, contextId, metadata, status, artifact, artifacts, history, ...chunk } = answer.parse(given);
  const of = { taskId: taskId ?? id ?? "", contextId, metadata };
  if (artifact) {
    const { append, lastChunk: last } = chunk;
    return { kind: "artifact", ...of, text: textOf(artifact), data: dataOf(artifact), append, last };
  }
  const said = textOf(status?.message);
  if (taskId !== undefined) return { kind: "status", ...of, state: status?.state, text: said };
  return {
    kind: "task",
    ...of,
    state: status?.state,
    text: artifacts.map(textOf).join("") || said,
    data: artifacts.flatMap(dataOf),
    history: history.map(textOf),
  };
}

async function* all(stream: AsyncIterable<unknown>): AsyncGenerator<Seen> {
  for await (const message of stream) yield seen(message);
}

async function newest(token = key, agent = "weather", base = url): Promise<A2aClient & { client: Client }> {
  const fetchImpl = bearer(token);
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    }),
  );
  const client = await factory.createFromUrl(`${base}/a2a/${agent}/`);
  const request = ({ text, contextId = "", taskId = "", data }: Said, returnImmediately = false) => ({
    tenant: "",
    message: {
      messageId: newMessageId(),
      contextId,
      taskId,
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: "text" as const, value: text },
          metadata: undefined,
          filename: "",
          mediaType: "text/plain",
        },
        ...(data
          ? [{ content: { $case: "data" as const, value: data }, metadata: undefined, filename: "", mediaType: "" }]
          : []),
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
    metadata: undefined,
  });
  return {
    client,
    send: async (said, waits = true) => seen(await client.sendMessage(request(said, !waits))),
    stream: (said) => all(client.sendMessageStream(request(said))),
    get: async (id, historyLength) => seen(await client.getTask({ tenant: "", id, historyLength })),
    cancel: async (id) => seen(await client.cancelTask({ tenant: "", id, metadata: undefined })),
    resubscribe: (id) => all(client.resubscribeTask({ tenant: "", id })),
  };
}

async function oldest(token = key, agent = "weather", base = url): Promise<A2aClient> {
  const fetchImpl = bearer(token);
  const factory = new legacy.ClientFactory(
    legacy.ClientFactoryOptions.createFrom(legacy.ClientFactoryOptions.default, {
      transports: [new legacy.JsonRpcTransportFactory({ fetchImpl })],
      cardResolver: new legacy.DefaultAgentCardResolver({ fetchImpl }),
    }),
  );
  const client = await factory.createFromUrl(`${base}/a2a/${agent}/`);
  const request = ({ text, contextId, taskId, data }: Said, blocking = true) => ({
    message: {
      kind: "message" as const,
      role: "user" as const,
      messageId: newMessageId(),
      parts: [{ kind: "text" as const, text }, ...(data ? [{ kind: "data" as const, data }] : [])],
      ...(contextId === undefined ? {} : { contextId }),
      ...(taskId === undefined ? {} : { taskId }),
    },
    configuration: { blocking },
  });
  return {
    send: async (said, waits = true) => seen(await client.sendMessage(request(said, waits))),
    stream: (said) => all(client.sendMessageStream(request(said))),
    get: async (id, historyLength) =>
      seen(await client.getTask({ id, ...(historyLength === undefined ? {} : { historyLength }) })),
    cancel: async (id) => seen(await client.cancelTask({ id })),
    resubscribe: (id) => all(client.resubscribeTask({ id })),
  };
}

async function collect(stream: AsyncIterable<Seen>): Promise<Seen[]> {
  const found: Seen[] = [];
  for await (const one of stream) found.push(one);
  return found;
}
const shape = (stream: Seen[]) => stream.map(({ kind, state, text }) => [kind, state ?? text]);
const versions = [
  { version: "1.0", connect: newest },
  { version: "0.3", connect: oldest },
];

test.for(versions)("A2A $version: a turn, streamed and waited for, and the task afterwards", async ({ connect }) => {
  const client = await connect();
  const stream = await collect(client.stream({ text: "weather?" }));
  expect(shape(stream)).toEqual([
    ["task", "submitted"],
    ["status", "working"],
    ["artifact", "It "],
    ["artifact", "is "],
    ["artifact", "sunny."],
    ["artifact", ""],
    ["status", "completed"],
  ]);
  expect(stream[0]?.history).toEqual(["weather?"]);
  expect(stream.map(({ append }) => append ?? null)).toMatchObject([null, null, false, true, true, true, null]);
  expect(stream.at(-2)?.last).toBe(true);

  const sent = await client.send({ text: "weather?" });
  expect(sent).toMatchObject({ kind: "task", state: "completed", text: "It is sunny.", history: ["weather?"] });
  expect(await client.get(sent.taskId)).toEqual(sent);
  expect((await client.get(sent.taskId, 0)).history).toEqual([]);

  const now = await client.send({ text: "weather?" }, false);
  expect(now.state).toBe("submitted");
  await expect.poll(async () => (await client.get(now.taskId)).state).toBe("completed");
});

test.for(versions)("A2A $version: five turns of a context are five runs of a thread", async ({ connect }) => {
  const client = await connect();
  const first = await client.send({ text: "turn" });
  const { contextId } = first;
  const turns = [first];
  for (let i = 0; i < 4; i++) turns.push(await client.send({ text: "turn", contextId }));
  expect(turns.map(({ text }) => text)).toEqual([1, 2, 3, 4, 5].map((n) => `turn ${n}`));
  expect(new Set(turns.map(({ taskId }) => taskId)).size).toBe(5);
  expect(new Set(turns.map((turn) => turn.contextId))).toEqual(new Set([contextId]));
});

test.for(versions)(
  "A2A $version: tools, progress, files, data and the result reach the client",
  async ({ connect }) => {
    const client = await connect();
    const stream = await collect(client.stream({ text: "work" }));
    const notes = stream.flatMap(({ kind, metadata }) => (kind === "status" ? Object.keys(metadata ?? {}) : []));
    expect(notes).toEqual(["tool.start", "tool.end", "custom", "usage"].slice(0, notes.length));
    expect(notes).toContain("tool.end");
    const artifacts = stream.filter(({ kind }) => kind === "artifact");
    expect(artifacts.flatMap(({ data }) => data ?? [])).toMatchObject([
      expect.anything(),
      { score: 1 },
      { greeted: true },
    ]);
    expect(JSON.stringify(artifacts[0]?.data)).toContain(`${url}/v1/runs/${stream[0]?.taskId}/artifacts/`);
    const counted = await collect(client.stream({ text: "count" }));
    expect(counted.flatMap(({ metadata }) => metadata?.["progress"] ?? [])).toMatchObject([
      { message: "step 1" },
      { message: "step 2" },
      { value: 1, message: "step 3" },
    ]);
    expect(counted.at(-2)?.data).toEqual([{ counted: 3 }]);
  },
);

test.for(versions)(
  "A2A $version: a question ends the stream, and a message on the task answers it",
  async ({ connect }) => {
    const client = await connect();
    const asked = await collect(client.stream({ text: "ask" }));
    expect(asked.at(-1)).toMatchObject({ kind: "status", state: "input-required", text: "What is your name?" });
    const { taskId, contextId } = asked[0] as Seen;
    expect(await client.get(taskId)).toMatchObject({ state: "input-required", history: ["ask", "What is your name?"] });
    const rest = await collect(client.stream({ text: "Ada", taskId, contextId }));
    expect(rest[0]).toMatchObject({
      kind: "task",
      state: "input-required",
      history: ["ask", "What is your name?", "Ada"],
    });
    expect(shape(rest.slice(1))).toEqual([
      ["status", "working"],
      ["artifact", "Hello, Ada."],
      ["artifact", ""],
      ["status", "completed"],
    ]);
    expect(await client.get(taskId)).toMatchObject({
      state: "completed",
      text: "Hello, Ada.",
      history: ["ask", "What is your name?", "Ada"],
    });
    // A text that stands for JSON answers a question for a boolean; a waiting call ends at a question, too.
    const sure = await client.send({ text: "approve" });
    expect(sure).toMatchObject({ state: "input-required" });
    await expect(client.send({ text: "perhaps", taskId: sure.taskId })).rejects.toThrow(/boolean/);
    expect((await client.send({ text: "true", taskId: sure.taskId })).data).toEqual([{ sure: true }]);
    await expect(client.send({ text: "again", taskId: sure.taskId })).rejects.toThrow(/terminal state|not supported/);
  },
);

test.for(versions)("A2A $version: a reader that was cut comes back to the task, at any API", async ({ connect }) => {
  const [client, elsewhere] = [await connect(), await connect(key, "weather", other)];
  const expected = "abcdefgh";
  let taskId = "";
  for await (const message of client.stream({ text: "slow", data: { delay: 0.15 } })) {
    ({ taskId } = message);
    if (message.kind === "artifact" && message.text === "b") break;
  }
  const rest = await collect(elsewhere.resubscribe(taskId));
  expect(rest[0]?.kind).toBe("task");
  expect(["submitted", "working"]).toContain(rest[0]?.state);
  expect(
    (rest[0]?.text ?? "") +
      rest
        .slice(1)
        .map(({ kind, text }) => (kind === "artifact" ? text : ""))
        .join(""),
  ).toBe(expected);
  expect(rest.at(-1)).toMatchObject({ kind: "status", state: "completed" });
  await expect(collect(client.resubscribe(taskId))).rejects.toThrow(/terminal state|not supported/);
});

test.for(versions)("A2A $version: a task is cancelled once, and stays so", async ({ connect }) => {
  const client = await connect();
  const { taskId } = await client.send({ text: "slow", data: { delay: 5 } }, false);
  await expect.poll(async () => (await client.get(taskId)).state).toBe("working");
  expect(await client.cancel(taskId)).toMatchObject({ kind: "task", state: "canceled" });
  expect(await client.cancel(taskId)).toMatchObject({ kind: "task", state: "canceled" });
  const done = await client.send({ text: "weather?" });
  await expect(client.cancel(done.taskId)).rejects.toThrow(/cannot be canceled/);
});

test.for(versions)("A2A $version: a failure is a failed task with the agent's words", async ({ connect }) => {
  const client = await connect();
  expect(await client.send({ text: "fail" })).toMatchObject({
    state: "failed",
    text: "no credit",
    history: ["fail", "no credit"],
  });
  expect((await collect(client.stream({ text: "fail" }))).at(-1)).toMatchObject({ state: "failed", text: "no credit" });
});

test.for(versions)(
  "A2A $version: unknown agents and tasks, wrong keys and full queues are told apart",
  async ({ version, connect }) => {
    const client = await connect();
    await expect(connect(key, "nobody")).rejects.toThrow(/404/);
    await expect(connect("rf_none")).rejects.toThrow(/401/);
    await expect(client.get("nobody")).rejects.toThrow(/Task not found/);
    await expect(client.cancel("nobody")).rejects.toThrow(/Task not found/);
    const others = await makeKey("bob", ["*"]);
    const { taskId } = await client.send({ text: "weather?" });
    await expect(connect(others)).rejects.toThrow(/404/);
    const post = (path: string, method: string, params: object, token = key) =>
      fetch(url + path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          ...(version === "1.0" ? { "a2a-version": "1.0" } : {}),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
      });
    const names =
      version === "1.0" ? { get: "GetTask", send: "SendMessage" } : { get: "tasks/get", send: "message/send" };
    expect(await (await post("/a2a/weather/", names.get, { id: taskId }, others)).json()).toMatchObject({
      id: 7,
      error: { code: -32001 },
    });
    const part = version === "1.0" ? { text: "hi" } : { kind: "text", text: "hi" };
    const message = { messageId: "m", role: version === "1.0" ? "ROLE_USER" : "user", parts: [part] };
    const unknown = await post("/a2a/nobody/", names.send, { message });
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { id: 7, error: { code: -32000, message: /nobody/ } },
    ]);
    const wrong = await post("/a2a/weather/", names.send, { message }, "rf_none");
    expect([wrong.status, wrong.headers.get("www-authenticate"), await wrong.json()]).toMatchObject([
      401,
      "Bearer",
      { id: null, error: { code: -32000 } },
    ]);
    const reader = await makeKey("ada", ["runs:read"]);
    const forbidden = await post("/a2a/weather/", names.send, { message }, reader);
    expect([forbidden.status, await forbidden.json()]).toMatchObject([
      403,
      { id: 7, error: { message: /runs:write/ } },
    ]);
  },
);

test("the newest client lists tasks page by page, by context and by state", async () => {
  const newestClient = await newest();
  const { client } = newestClient;
  const { contextId, taskId } = await newestClient.send({ text: "weather?" });
  const second = await newestClient.send({ text: "fail", contextId });
  const ask = { tenant: "", contextId, status: 0, pageToken: "", pageSize: 1 };
  const page = await client.listTasks(ask as never);
  expect([page.tasks.map(({ id }) => id), page.totalSize, page.pageSize]).toEqual([[second.taskId], 2, 1]);
  const next = await client.listTasks({ ...ask, pageToken: page.nextPageToken, includeArtifacts: true } as never);
  expect(next.tasks.map((task) => seen(task))).toMatchObject([{ taskId, text: "It is sunny." }]);
  expect(next.nextPageToken).toBe("");
  const failed = await client.listTasks({ ...ask, pageSize: 5, status: 4 } as never);
  expect(failed.tasks.map(({ id }) => id)).toEqual([second.taskId]);
});

test.for(versions)("A2A $version: a full queue refuses a message, and says when to try again", async ({ connect }) => {
  const [client, limited] = [await connect(), await connect(key, "weather", other)];
  const { contextId, taskId } = await client.send({ text: "slow", data: { delay: 5 } }, false);
  const waiting = [taskId];
  for (let i = 0; i < 3; i++) waiting.push((await client.send({ text: "weather?", contextId }, false)).taskId);
  await expect(limited.send({ text: "weather?" }, false)).rejects.toThrow(/AGENT_QUEUE_LIMIT/);
  await expect(collect(limited.stream({ text: "weather?" }))).rejects.toThrow(/AGENT_QUEUE_LIMIT/);
  for (const id of waiting.toReversed()) await client.cancel(id);
});

/** Where our answers differ from the recorded server's, by exchange. docs/a2a.md says why. */
const known: Record<string, string[]> = {
  "v0.3: input-required": ["+ .events[].result.final=true"],
};
/** The agent here says something in each task, so no task is a bare message. */
const unlike = "jsonrpc sendMessage message only";
/** How far a task is when its reader comes back or cancels it depends on time. */
const ofTime = /artifacts\[\]|append=false|final=false|state=(TASK_STATE_)?(submitted|working)$/i;

test("the recorded exchanges of both versions are answered as they were, with known differences", async () => {
  const names = new Map<string, string>();
  const found: Record<string, string[]> = {};
  for (const recorded of readRecorded("a2a")) {
    const unbound = /<task-(?:10|25)>/.exec(JSON.stringify(recorded.request.body) ?? "")?.[0];
    if (unbound && !names.has(unbound))
      names.set(unbound, (await (await newest()).send({ text: "slow" }, false)).taskId);
    const { body, headers } = fill(recorded.request, names);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${url}/a2a/weather/`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${key}` },
      body: text,
    });
    const ours = await readReply(response);
    const theirs = recordedReply(recorded);
    learn(theirs, ours, names);
    const differs = differences(theirs, ours).filter(
      (fact) => !(/resubscribe|cancel/.test(recorded.name) && ofTime.test(fact)),
    );
    if (differs.length > 0 && recorded.name !== unlike) found[recorded.name] = differs;
  }
  expect(found).toEqual(known);
});
