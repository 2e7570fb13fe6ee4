import { createHmac, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createElement } from "react";
import { create } from "react-test-renderer";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { cutStreams, typescriptClient } from "../../../chaos/streams/cut-streams.ts";
import {
  ApiError,
  type Daemon,
  type DaemonLogLine,
  UnreachableError,
  InvalidError,
  NotFoundError,
  RunCancelledError,
  RunFailedError,
  type RunHandle,
  RunInterruptedError,
  RunTimeoutError,
  Runfleet,
  StreamLostError,
  verifyWebhook,
  WebhookError,
} from "../../../sdk/ts/index.ts";
import { operations } from "../../../sdk/ts/generated/operations.ts";
import { type RunView, useRun, useThread } from "../../../sdk/ts/react.ts";
import { operations as documented, resolveRef } from "../../contract/openapi-document.ts";
import { makeTalker } from "../../harness/make-talker.ts";
import { openReceiver } from "../../harness/receiver.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.startService();
const client = new Runfleet({ url });

await makeTalker(url);

test("a run gives its events, its text and its result; a handle goes on where it was", async () => {
  const run = client.run("talker", {}, { metadata: { from: "test" } });
  const types: string[] = [];
  for await (const event of run) {
    types.push(event.type);
    if (event.type === "run.started") break;
  }
  const rest: string[] = [];
  for await (const event of run) rest.push(event.type);
  expect(types).toEqual(["run.queued", "run.started"]);
  expect(rest.filter((type) => !["usage", "log"].includes(type))).toEqual([
    "output.delta",
    "output.delta",
    "run.success",
  ]);
  expect(await run.result<{ said: number }>()).toEqual({ said: 2 });

  const texts: string[] = [];
  for await (const text of client.attach(run.id).text()) texts.push(text);
  expect(texts.join("")).toBe("One two");
  expect(await client.attach(run.id, { after: run.lastEventId }).result()).toEqual({ said: 2 });
  expect((await run.get()).metadata).toEqual({ from: "test" });
  const started = client.run("talker");
  expect((await started.start()).id).toBe(started.id);
  expect(await started.result()).toEqual({ said: 2 });
});

test("ids are made in pages over plain http too, where browsers have no crypto.randomUUID", async () => {
  const spy = vi.spyOn(crypto, "randomUUID").mockImplementation(() => {
    throw new TypeError("crypto.randomUUID is not a function");
  });
  onTestFinished(() => spy.mockRestore());
  const run = client.run("talker");
  expect(run.id).toMatch(/^run_[0-9a-f]{32}$/);
  const thread = await client.threads.create({ user_id: "ada" });
  expect(thread.id).toBeTruthy();
});

test("an end other than success is an error of its own class, with the service's code", async () => {
  const failed = await client
    .run("talker", { what: "fail" })
    .result()
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(RunFailedError);
  expect(failed).toMatchObject({ code: "agent_error", status: "error", error: { type: "ValueError", message: "no" } });
  await expect(client.run("talker", { what: "stay" }, { timeout_ms: 300 }).result()).rejects.toBeInstanceOf(
    RunTimeoutError,
  );
  const stays = client.run("talker", { what: "stay" });
  for await (const event of stays) if (event.type === "output.delta") await stays.cancel();
  await expect(stays.result()).rejects.toBeInstanceOf(RunCancelledError);
});

test("a question ends the reading, and the answer goes on in the same run, for a late reader too", async () => {
  const run = client.run("talker", { what: "ask" });
  const asked = await run.result().catch((error: unknown) => error);
  expect(asked).toBeInstanceOf(RunInterruptedError);
  expect((asked as RunInterruptedError).interrupts).toMatchObject([{ message: "May I?" }]);
  await run.resume("Yes. ");
  let text = "";
  for await (const part of run.text()) text += part;
  expect(text).toContain("Yes. two");
  let whole = "";
  for await (const part of client.attach(run.id).text()) whole += part;
  expect(whole).toBe("One Yes. two");
});

test("a result is waited for while somebody else answers: a run that goes on has not failed", async () => {
  const record = (status: string) => () => ({ body: JSON.stringify({ status, error: null, interrupts: [] }) });
  const answered = await openScripted(
    () => ({ status: 204 }),
    record("queued"),
    () => sse(delta(1), success(2)),
  );
  expect(await answered.client.attach("r").result()).toBe(2);
  const asks = await openScripted(() => ({ status: 204 }), record("interrupted"));
  await expect(asks.client.attach("r").result()).rejects.toBeInstanceOf(RunInterruptedError);
  const ended = await openScripted(() => ({ status: 204 }), record("timeout"));
  await expect(ended.client.attach("r").result()).rejects.toBeInstanceOf(RunTimeoutError);
});

test("files go in as text or bytes, and what a run hands out is downloaded", async () => {
  const bytes = new Uint8Array([0, 255, 7]);
  const run = client.run("talker", { what: "files" }, { files: { "note.txt": "data: no URL", "bytes.bin": bytes } });
  let text = "";
  for await (const part of run.text()) text += part;
  expect(text).toBe("One data: no URL[0, 255, 7]two");
  const [artifact] = await run.artifacts();
  if (!artifact) throw new Error("There is no artifact.");
  expect(await (await run.download(artifact)).text()).toBe("data: no URL");
});

test("a thread's messages are runs that know each other", async () => {
  const thread = client.thread("t-sdk", { agent: "talker" });
  await thread.send({}).result();
  const second = thread.send({});
  await second.result();
  const runs: string[] = [];
  for await (const run of client.threads.listRuns("t-sdk", { order: "asc" })) runs.push(run.id);
  expect(runs).toHaveLength(2);
  expect(runs[1]).toBe(second.id);
});

test("an error has a class, a code, the request's id and the place of each fault", async () => {
  const missing = await client.runs.get("nobody").catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(NotFoundError);
  expect(missing).toMatchObject({ status: 404, code: "run_not_found", requestId: expect.stringMatching(/^req_/) });
  const invalid = await client
    .run("talker", {}, { timeout_ms: -1, tags: [""] })
    .result()
    .catch((error: unknown) => error);
  expect(invalid).toBeInstanceOf(InvalidError);
  expect((invalid as InvalidError).issues.map(({ place }) => place).toSorted()).toEqual(["tags.0", "timeout_ms"]);
  await expect(client.run("nobody").result()).rejects.toMatchObject({ code: "agent_not_found" });
  await expect(new Runfleet({ url: "http://127.0.0.1:9" }).runs.get("x")).rejects.toBeInstanceOf(UnreachableError);
  expect(() => client.runs.get("")).toThrow(TypeError);
});

test("a list is read page after page, or one page alone", async () => {
  const listed: string[] = [];
  for await (const run of client.agents.listRuns("talker", { limit: 2 })) listed.push(run.id);
  expect(listed.length).toBeGreaterThan(4);
  expect(new Set(listed).size).toBe(listed.length);
  const { data, has_more } = await client.runs.list({ limit: 1, metadata: { from: "test" } }).page();
  expect(data).toMatchObject([{ metadata: { from: "test" } }]);
  expect(has_more).toBe(false);
});

test("a list's changes are followed, and are over when the reader leaves", async () => {
  const seen: unknown[] = [];
  for await (const event of client.runs.streamChanges({ thread_id: "t-changes" })) {
    seen.push(event.type === "run.changed" ? event.id : event.reason);
    if (event.type === "run.changed") break;
    void client.run("talker", {}, { thread_id: "t-changes", run_id: "r-followed" }).start();
  }
  expect(seen).toEqual(["start", "r-followed"]);
});

test("a stream of messages yields what its type says: the data of each", async () => {
  const notifications = client.notifications.stream({ user_id: "ada" });
  let title = "";
  void notifications.next().then(({ value }) => void (title = value?.title ?? ""));
  // The stream begins with the next notification.
  await waitFor(async () => {
    await client.notifications.create({ user_id: "ada", type: "test", title: "Told" });
    return title !== "";
  });
  expect(title).toBe("Told");
  await client.agents.create({ user_id: "ada", id: "stays", name: "stays", config: { source: "def on_message(): 1" } });
  await client.daemons.create({ agent_id: "stays" });
  const seen: (Daemon["status"] | DaemonLogLine["stream"])[] = [];
  for await (const event of client.daemons.stream("stays")) {
    seen.push("message" in event ? event.stream : event.status);
    if ("message" in event) break;
  }
  expect(seen.at(-1)).toBe("daemon");
  expect(seen.length).toBeGreaterThan(1);
});

test("connections that are cut at random bytes lose no event and repeat none, and start no run twice", async () => {
  const verdict = await cutStreams(url, typescriptClient, { seed: 1, cuts: 60, readers: 12 });
  expect(verdict.faults).toEqual([]);
  expect(verdict.cuts).toBeGreaterThanOrEqual(60);
});

/** A service that answers each request by the next of `answers`, and then by the last one. */
async function openScripted(...answers: ((tries: number) => { status?: number; headers?: object; body?: string })[]) {
  const seen: { method: string; url: string; headers: Record<string, unknown> }[] = [];
  const server: Server = createServer((request, response) => {
    seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers });
    const {
      status = 200,
      headers = {},
      body = "",
    } = answers[Math.min(seen.length, answers.length) - 1]?.(seen.length) ?? {};
    response.writeHead(status, { ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return {
    seen,
    client: new Runfleet({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: "k" }),
  };
}
const sse = (...events: object[]) => ({
  headers: { "content-type": "text/event-stream" },
  body: events
    .map(
      (event) =>
        `id: ${(event as { attempt: number }).attempt}-${(event as { seq: number }).seq}\ndata: ${JSON.stringify(event)}\n\n`,
    )
    .join(""),
});
const delta = (seq: number) => ({ type: "output.delta", attempt: 1, seq, content: `${seq}` });
const success = (seq: number) => ({ type: "run.success", attempt: 1, seq, status: "success", result_content: seq });

test("a request is repeated where that does no harm, with the same key; another is not", async () => {
  const busy = () => ({ status: 503, body: JSON.stringify({ detail: "Busy.", code: "dependency_unavailable" }) });
  const keyed = await openScripted(busy, () => ({ body: '{"id":"a"}' }));
  await keyed.client.agents.create({ user_id: "u", name: "n" });
  expect(keyed.seen).toHaveLength(2);
  const keys = keyed.seen.map(({ headers }) => headers["idempotency-key"]);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
  expect(keyed.seen[0]?.headers["authorization"]).toBe("Bearer k");
  const away = await openScripted(() => ({ ...busy(), headers: { "retry-after": "30" } }));
  await expect(away.client.runs.get("r")).rejects.toMatchObject({ retryAfterMs: 30_000 });
  expect(away.seen).toHaveLength(1);
  const plain = await openScripted(busy);
  await expect(plain.client.runs.complete("r", {})).rejects.toMatchObject({ code: "dependency_unavailable" });
  expect(plain.seen).toHaveLength(1);
  await expect(plain.client.runs.get("r")).rejects.toBeInstanceOf(ApiError);
  expect(plain.seen).toHaveLength(4);
});

test("an answer that is cut is asked for again; a redirection and a page that is no JSON are errors that say so", async () => {
  // Less comes than its head says: the connection is cut.
  const cut = () => ({ headers: { "content-length": "100", connection: "close" }, body: '{"id":' });
  const mended = await openScripted(cut, () => ({ body: '{"id":"r"}' }));
  expect(await mended.client.runs.get("r")).toEqual({ id: "r" });
  expect(mended.seen).toHaveLength(2);
  const stays = await openScripted(cut);
  await expect(stays.client.runs.get("r")).rejects.toBeInstanceOf(UnreachableError);
  await expect(stays.client.runs.complete("r", {})).rejects.toBeInstanceOf(UnreachableError);
  expect(stays.seen).toHaveLength(4);
  const moved = await openScripted(
    () => ({ status: 301, headers: { location: "https://elsewhere/" } }),
    () => ({ body: "<html>" }),
  );
  const refused = await moved.client.agents.create({ user_id: "u", name: "n" }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(String(refused)).toContain("https://elsewhere/");
  expect(moved.seen).toHaveLength(1);
  await expect(moved.client.runs.get("r")).rejects.toThrow("no JSON");
});

test("a JSON answer that never ends is given up when its time is over", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode("{")) });
  const silent = new Runfleet({
    url,
    fetch: (_url, init) => {
      const aborts = new TransformStream();
      void body.pipeTo(aborts.writable, { ...(init?.signal && { signal: init.signal }) }).catch(() => undefined);
      return Promise.resolve(new Response(aborts.readable));
    },
  });
  const given = silent.runs.complete("r", {}).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(130_000);
  expect(await given).toBeInstanceOf(UnreachableError);
});

test("a stream that ends in order without its last event was cut; an event that comes twice is given once", async () => {
  const { seen, client: scripted } = await openScripted(
    () => sse(delta(1), delta(2)),
    () => sse(delta(2), delta(3)),
    () => sse(success(4)),
  );
  const read: number[] = [];
  for await (const event of scripted.attach("r")) read.push(event.seq);
  expect(read).toEqual([1, 2, 3, 4]);
  expect(seen.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "1-2", "1-3"]);
});

test("a stream that is quiet for hours is not lost, however often it is cut; one that isn't answered for five minutes is", async () => {
  const clock = vi.spyOn(Date, "now");
  onTestFinished(() => clock.mockRestore());
  let now = 1e12;
  const later = <Answer>(answer: Answer): Answer => {
    clock.mockReturnValue((now += 400_000));
    return answer;
  };
  const ping = { headers: { "content-type": "text/event-stream" }, body: ": ping\n\n" };
  const quiet = await openScripted((tries) => later(tries < 4 ? ping : sse(delta(1), success(2))));
  expect(await quiet.client.attach("r").result()).toBe(2);
  const away = await openScripted((tries) => later(tries === 1 ? sse(delta(1)) : { status: 503 }));
  await expect(away.client.attach("r").result()).rejects.toBeInstanceOf(StreamLostError);
  const portal = await openScripted(() => later({ headers: { "content-type": "text/html" }, body: "Sign in" }));
  await expect(portal.client.attach("r").result()).rejects.toBeInstanceOf(StreamLostError);
});

test("a hole in a stream is asked for again, and is an error when it stays; a gap that the service tells is an event", async () => {
  const mended = await openScripted(
    () => sse(delta(1), delta(3)),
    () => sse(delta(2), delta(3), success(4)),
  );
  expect(await mended.client.attach("r").result()).toBe(4);
  const stays = await openScripted(
    () => sse(delta(1), delta(3)),
    () => sse(delta(3)),
  );
  const lost = await stays.client
    .attach("r")
    .result()
    .catch((error: unknown) => error);
  expect(lost).toBeInstanceOf(StreamLostError);
  expect(lost).toMatchObject({ lastEventId: "1-1" });
  const from = { attempt: 1, seq: 1 };
  const told = await openScripted(() =>
    sse(delta(1), { type: "gap", attempt: 1, seq: 5, from, to: { attempt: 1, seq: 5 } }, success(6)),
  );
  const types: string[] = [];
  for await (const { type } of told.client.attach("r")) types.push(type);
  expect(types).toEqual(["output.delta", "gap", "run.success"]);
});

test("what a repetition doesn't mend ends a stream at once; leaving a loop or a signal stops the reading", async () => {
  const refused = await openScripted(() => ({ status: 404, body: '{"detail":"None.","code":"run_not_found"}' }));
  await expect(refused.client.attach("r").result()).rejects.toBeInstanceOf(NotFoundError);
  expect(refused.seen).toHaveLength(1);
  const run = client.run("talker", { what: "stay" });
  const stop = new AbortController();
  const reason = new Error("enough");
  const reading = (async () => {
    for await (const { type } of run.events({ signal: stop.signal })) if (type === "output.delta") stop.abort(reason);
  })();
  await expect(reading).rejects.toBe(reason);
  expect((await run.get()).status).toBe("running");
  await run.cancel();
});

test("a callback is accepted with the user's secret, and with no other", async () => {
  const receiver = await openReceiver();
  onTestFinished(() => receiver.close());
  const { secret } = await client.users.rotateCallbackSecret({ user_id: "ada" });
  await client.run("talker", {}, { completion_callback_url: receiver.url }).result();
  await waitFor(() => receiver.got.length > 0);
  const [{ text, headers } = { text: "", headers: {} }] = receiver.got;
  expect(await verifyWebhook(text, headers, secret)).toMatchObject({
    type: "run.success",
    result_content: { said: 2 },
  });
  const other = `whsec_${randomBytes(24).toString("base64")}`;
  await expect(verifyWebhook(text, headers, other)).rejects.toBeInstanceOf(WebhookError);
  await expect(verifyWebhook(`${text} `, headers, secret)).rejects.toBeInstanceOf(WebhookError);
  await expect(verifyWebhook(text, {}, secret)).rejects.toBeInstanceOf(WebhookError);
  const old = String(Math.floor(Date.now() / 1000) - 600);
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = `v1,${createHmac("sha256", key).update(`m.${old}.${text}`).digest("base64")}`;
  const late = { "webhook-id": "m", "webhook-timestamp": old, "webhook-signature": signature };
  await expect(verifyWebhook(text, late, secret)).rejects.toThrow("too far");
});

test("React: useRun shows a run as it goes, from one reading for all components, and goes on after an answer", async () => {
  const run = client.run("talker", { what: "ask" });
  const views: RunView[] = [];
  const root = create(createElement(() => (views.push(useRun(run)), useRun(run), null)));
  await vi.waitFor(() => expect(views.at(-1)?.status).toBe("interrupted"), { timeout: 15_000 });
  expect(views.at(-1)?.interrupts).toMatchObject([{ message: "May I?" }]);
  await views.at(-1)?.resume("Yes. ");
  await vi.waitFor(() => expect(views.at(-1)?.status).toBe("success"), { timeout: 15_000 });
  expect(views.at(-1)).toMatchObject({ text: "One Yes. two", result: { said: 2 }, error: null, failure: null });
  root.unmount();
});

test("React: useRun goes on when somebody else answers, and when the service is back", async () => {
  const run = client.run("talker", { what: "ask" });
  const views: RunView[] = [];
  const root = create(createElement(() => (views.push(useRun(run)), null)));
  await vi.waitFor(() => expect(views.at(-1)?.status).toBe("interrupted"), { timeout: 15_000 });
  await client.attach(run.id).resume("Yes. ");
  await vi.waitFor(() => expect(views.at(-1)?.status).toBe("success"), { timeout: 15_000 });
  root.unmount();

  const clock = vi.spyOn(Date, "now");
  onTestFinished(() => clock.mockRestore());
  const asleep = { type: "run.suspended", attempt: 1, seq: 1, waits: [] };
  const scripted = await openScripted((tries) => {
    clock.mockReturnValue(1e12 + 400_000 * tries);
    return tries < 3 ? { status: 503 } : sse(asleep);
  });
  const seen: RunView[] = [];
  const away = scripted.client.attach("r");
  const shown = create(createElement(() => (seen.push(useRun(away)), null)));
  await vi.waitFor(() => expect(seen.at(-1)?.failure).toBeInstanceOf(ApiError), { timeout: 15_000 });
  await vi.waitFor(() => expect(seen.at(-1)).toMatchObject({ status: "suspended", failure: null }), {
    timeout: 15_000,
  });
  shown.unmount();
});

test("React: useThread sends messages, each a run", async () => {
  const thread = client.thread("t-react", { agent: "talker" });
  const shown: { current?: { runs: readonly RunHandle[]; send(input: object): RunHandle } } = {};
  const root = create(createElement(() => ((shown.current = useThread(thread) as never), null)));
  await vi.waitFor(() => expect(shown.current).toBeDefined());
  const run = shown.current?.send({});
  await vi.waitFor(() => expect(shown.current?.runs).toEqual([run]));
  expect(await run?.result()).toEqual({ said: 2 });
  root.unmount();
});

/** Ids of things that the path parameters of operations name. */
const there: Record<string, string> = { agent_id: "talker", version: "1.0.0", tag: "prod", name: "KEY" };
const methods = client as unknown as Record<string, Record<string, (...given: unknown[]) => unknown>>;
const called = Object.entries(operations).flatMap(([resource, entries]) =>
  Object.entries(entries).map(([name, entry]) => ({ resource, name, entry: entry as string })),
);

test.each(called)("$entry is answered as documented", async ({ resource, name, entry }) => {
  const [method = "", path = "", ...words] = entry.split(" ");
  const operation = documented.find((one) => one.method === method && one.path === path);
  if (!operation) throw new Error(`${entry} is not documented.`);
  const values = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = ""]) => there[parameter] ?? "none");
  const given = [...values, ...(words.includes("body") ? [exampleOf(operation.body)] : [])];
  const query = words.includes("query") ? [{}] : [];
  const over = new AbortController();
  const outcome = await perform(methods[resource]?.[name]?.(...given, ...query, { signal: over.signal }));
  over.abort();
  if (!(outcome instanceof Error)) return;
  if (!(outcome instanceof ApiError)) throw outcome;
  expect(Object.keys(operation.responses)).toContain(String(outcome.status));
  expect(outcome.code).not.toMatch(/^http_/);
});

const exampleOf = (body: Record<string, unknown> | null): unknown => {
  const { examples } = body ? resolveRef(body) : {};
  return (examples as unknown[] | undefined)?.[0] ?? {};
};

/** Awaits an answer, the first page of a list, or the first event of a stream. */
async function perform(answer: unknown): Promise<unknown> {
  try {
    if (typeof answer === "object" && answer !== null && "page" in answer)
      return await (answer as { page(): unknown }).page();
    // Streams that begin with what is to come are left after a moment.
    if (typeof answer === "object" && answer !== null && "next" in answer)
      return await Promise.race([
        (answer as AsyncGenerator).next(),
        new Promise((resolve) => setTimeout(resolve, 300)),
      ]);
    return await answer;
  } catch (error) {
    return error;
  }
}

afterAll(() => vi.useRealTimers());
