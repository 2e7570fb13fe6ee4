import { afterAll, expect, test } from "vitest";
import { answerRun, call, execute, makeAgent, readEvents, resume, type SentEvent } from "../harness/client.ts";
import { openModelProvider } from "../harness/model-provider.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const secret = "sk-real-8899aabbccddeeff";
const provider = await openModelProvider(secret);
afterAll(() => provider.close());
const stack = await useTestStack();
const settings = { EGRESS_ALLOW: `127.0.0.1:${provider.port}`, EGRESS_ALLOW_CIDRS: "127.0.0.0/8", WORKER_SLOTS: "4" };
const { url } = await stack.openApi();
await call(url, "PUT", "/v1/connections/openai?user_id=tester", {
  preset: "openai",
  base_url: `${provider.url}/v1`,
  secret,
});

/** Five calls, each of which sends what the last one answered; then it waits until it is killed, the first time. */
const talks = py`
  import json, os, time, urllib.request
  from urllib.error import HTTPError
  def ask(messages, **more):
      body = {"model": "gpt-5-mini", "messages": messages, **more}
      request = urllib.request.Request(
          os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
      )
      with urllib.request.urlopen(request, timeout=20) as answer:
          return answer.read().decode()
  def main(input, context):
      messages = [{"role": "user", "content": input.get("say", "hello") + (str(time.time()) if input.get("time") else "")}]
      answers = []
      for turn in range(input["turns"]):
          answers.append(ask(messages, stream=turn % 2 == (0 if input["turns"] == 1 else 1), user=str(time.time())))
          messages.append({"role": "assistant", "content": answers[-1]})
          yield str(turn)
      if context.attempt <= input.get("dies", 0):
          if input.get("raises"): raise ValueError("once")
          while True: time.sleep(0.05)
      yield "end"
`;

async function runOverDeaths(input_payload: object, deaths: number, config: object = {}): Promise<SentEvent[]> {
  const agent_id = await makeAgent(url, talks, { connections: ["openai"], max_attempts: 9, ...config });
  provider.calls.length = 0;
  // Where no worker is, the run would be refused.
  let worker = await stack.start("worker", settings);
  const response = await execute(
    url,
    { agent_id, version: "current", input_payload: { dies: deaths, ...input_payload } },
    { prefer: "respond-async" },
  );
  const run_id = String(((await response.json()) as { id: string }).id);
  for (let death = 0; death < deaths; death += 1) {
    await waitFor(async () => {
      const { rows } = await stack.sql.query(
        "SELECT count(*)::int AS count FROM run_calls WHERE run_id = $1 AND attempt = $2",
        [run_id, death + 1],
      );
      return rows[0]?.count === 5;
    }, 40_000);
    const next = await stack.start("worker", settings);
    await worker.stop("SIGKILL");
    await stack.lapse(worker);
    worker = next;
  }
  const events = await readEvents(await resume(url, run_id));
  await worker.stop("SIGKILL");
  await stack.lapse(worker);
  return events;
}
const ofType = (events: SentEvent[], type: string) =>
  events.filter(({ event }) => event === type).map(({ data }) => data);

test("a run whose workers die has each finished answer again: the provider is asked once, and the result is the same", async () => {
  const events = await runOverDeaths({ turns: 5 }, 2);
  expect(events.at(-1)?.event).toBe("run.success");
  expect(provider.calls).toHaveLength(5);
  const [first, , third] = [1, 2, 3].map((attempt) =>
    ofType(events, "call.end").filter((end) => end["attempt"] === attempt),
  );
  expect(third?.map(({ recorded }) => recorded)).toEqual([true, true, true, true, true]);
  expect(third?.every(({ cost_usd, output_tokens }) => cost_usd === null && output_tokens === 0)).toBe(true);
  expect(first?.every(({ recorded }) => recorded === false) ?? true).toBe(true);
  // Billed once, with what the lost attempts have paid.
  expect(events.at(-1)?.data["usage"]).toMatchObject({ output_tokens: 5 * 7 });
  expect(ofType(events, "call.missed")).toEqual([]);
  const { rows } = await stack.sql.query("SELECT sealed_entry FROM journal_entries WHERE kind = 'call'");
  expect(rows).toHaveLength(5);
  expect(rows.some(({ sealed_entry }) => String(sealed_entry).includes("hello"))).toBe(false);
}, 90_000);

test("a request that differs is sent, and the place where it differs is told once", async () => {
  const events = await runOverDeaths({ turns: 5, time: true }, 1);
  expect(provider.calls).toHaveLength(10);
  const missed = ofType(events, "call.missed");
  expect(missed).toEqual([expect.objectContaining({ path: "/v1/chat/completions", at: "$.messages.0.content" })]);
}, 90_000);

/** Asks a model, then a slow one beside an order that a person is asked about. */
const orders = py`
  import json, os, urllib.request
  from concurrent.futures import ThreadPoolExecutor
  def ask(path, text):
      body = json.dumps({"model": "gpt-5-mini", "messages": [{"role": "user", "content": text}]}).encode()
      request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + path, body, {"content-type": "application/json"})
      with urllib.request.urlopen(request, timeout=60) as answer:
          return answer.status
  def main(input, context):
      first = ask("/chat/completions", "what to buy?")
      with ThreadPoolExecutor() as pool:
          slow = pool.submit(ask, "/chat/completions", "slowly") if input.get("slow") else None
          return [first, ask("/orders/echo", "gold"), slow and slow.result()]
`;

test.each(["the question is asked", "it is about to be asked"])(
  "a worker that dies while %s costs no call, and the person is asked once",
  async (when) => {
    const isEarly = when === "it is about to be asked";
    const approvals = [{ path: "*/orders/*" }];
    const agent_id = await makeAgent(url, orders, { connections: ["openai"], approvals, max_attempts: 9 });
    provider.calls.length = 0;
    // The question waits for the calls that are under way: the slow one ends after its worker.
    let end = (): void => undefined;
    const usual = (text: string) => JSON.stringify({ model: "gpt-5-mini", choices: [{ message: { content: text } }] });
    const head = { "content-type": "application/json" };
    provider.next.push((res) => void res.writeHead(200, head).end(usual("gold")));
    if (isEarly) provider.next.push((res) => void (end = () => res.writeHead(200, head).end(usual("slow"))));
    const seen = (path: string) => provider.calls.filter((one) => one.path === path).length;
    const first = await stack.start("worker", settings);
    const request = { agent_id, version: "current", input_payload: { slow: isEarly } };
    const response = await execute(url, request, { prefer: "respond-async" });
    const run_id = String(((await response.json()) as { id: string }).id);
    const statusIs = (status: string) =>
      waitFor(async () => (await call(url, "GET", `/v1/runs/${run_id}`)).body["status"] === status, 40_000);
    await (isEarly ? waitFor(() => Promise.resolve(provider.calls.length === 2), 20_000) : statusIs("interrupted"));
    const second = await stack.start("worker", settings);
    await first.stop("SIGKILL");
    await stack.lapse(first);
    end();
    await statusIs("interrupted");
    const { rows } = await stack.sql.query("SELECT status, worker_id FROM runs WHERE id = $1", [run_id]);
    expect(rows).toEqual([{ status: "interrupted", worker_id: null }]);
    expect([seen("/v1/chat/completions"), seen("/v1/orders/echo")]).toEqual([isEarly ? 2 : 1, 0]);
    expect((await answerRun(url, run_id, { response: { approved: true } })).status).toBe(202);
    const events = await readEvents(await resume(url, run_id));
    expect(events.at(-1)?.data["result_content"]).toEqual({ output: [200, 200, isEarly ? 200 : null] });
    expect([seen("/v1/chat/completions"), seen("/v1/orders/echo")]).toEqual([isEarly ? 2 : 1, 1]);
    expect(ofType(events, "run.interrupted")).toHaveLength(1);
    await second.stop();
  },
  120_000,
);

test("a retry of the agent's own keeps all answers but the last, after which it failed", async () => {
  const worker = await stack.start("worker", settings);
  const retry = { max_attempts: 2, delay_ms: 0 };
  const agent_id = await makeAgent(url, talks, { connections: ["openai"], retry });
  provider.calls.length = 0;
  const input_payload = { turns: 3, dies: 1, raises: true };
  const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload }));
  expect([events.at(-1)?.event, provider.calls.length]).toEqual(["run.success", 4]);
  await worker.stop();
}, 60_000);

test("what failed isn't kept: the next call with the same request is sent", async () => {
  const worker = await stack.start("worker", settings);
  const agent_id = await makeAgent(
    url,
    py`
      import json, os, urllib.request
      from urllib.error import HTTPError
      def ask():
          body = json.dumps({"model": "gpt-5-mini", "messages": [{"role": "user", "content": "same"}]}).encode()
          request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"content-type": "application/json"})
          try:
              with urllib.request.urlopen(request, timeout=20) as answer: return answer.status
          except HTTPError as error: return error.code
      def main(i): return [ask() for _ in range(4)]
    `,
    { connections: ["openai"] },
  );
  provider.calls.length = 0;
  provider.next.push(
    (res) => void res.writeHead(500).end("{}"),
    (res) => void res.writeHead(429).end("{}"),
  );
  const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload: {} }));
  expect(events.at(-1)?.data["result_content"]).toEqual({ output: [500, 429, 200, 200] });
  expect(provider.calls).toHaveLength(4);
  await worker.stop();
}, 60_000);

test("an answer whose client went away is read to its end, and is the next call's with the same request; the one after is sent", async () => {
  const worker = await stack.start("worker", settings);
  const agent_id = await makeAgent(
    url,
    py`
      import json, os, urllib.request
      def ask():
          body = json.dumps({"model": "gpt-5-mini", "stream": True, "messages": [{"role": "user", "content": "a b c d e f g h"}]})
          address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
          return urllib.request.urlopen(urllib.request.Request(address, body.encode(), {"content-type": "application/json"}), timeout=20)
      def main(i):
          with ask() as cut: first = cut.readline()
          second, third = ask().read(), ask().read()
          return [second.startswith(first), second.endswith(b"[DONE]\n\n"), third == second]
    `,
    { connections: ["openai"] },
  );
  provider.calls.length = 0;
  const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload: {} }));
  expect(events.at(-1)?.data["result_content"]).toEqual({ output: [true, true, false] });
  expect(provider.calls).toHaveLength(2);
  expect(ofType(events, "call.end").map(({ recorded }) => recorded)).toEqual([false, true, false]);
  await worker.stop();
}, 60_000);

test.each(["after the next attempt asked for it", "before the next attempt began"])(
  "an answer whose worker was killed is read to its end, kept and billed once, where it comes %s",
  async (when) => {
    const agent_id = await makeAgent(url, talks, { connections: ["openai"], max_attempts: 9 });
    provider.calls.length = 0;
    const first = await stack.start("worker", settings);
    let finish = (): void => undefined;
    const asked = new Promise<void>((resolve) =>
      provider.next.push((res) => {
        const told = { id: "1", object: "chat.completion.chunk", created: 1, model: "gpt-5-mini" };
        const say = (more: object) => res.write(`data: ${JSON.stringify({ ...told, ...more })}\n\n`);
        res.writeHead(200, { "content-type": "text/event-stream" });
        say({ choices: [{ index: 0, delta: { content: "begun" }, finish_reason: null }] });
        finish = () => {
          say({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
          say({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 } });
          res.end("data: [DONE]\n\n");
        };
        resolve();
      }),
    );
    const input_payload = { turns: 1 };
    const sent = { agent_id, version: "current", input_payload };
    const response = await execute(url, sent, { prefer: "respond-async" });
    const run_id = String(((await response.json()) as { id: string }).id);
    await asked;
    await first.stop("SIGKILL");
    const isLate = when.startsWith("after");
    if (!isLate) finish();
    if (!isLate) await waitFor(async () => (await entriesOf(run_id)) === 1, 20_000);
    const second = await stack.start("worker", settings);
    await stack.lapse(first);
    await waitFor(async () => (await attemptOf(run_id)) === 2, 20_000);
    if (isLate) finish();
    const events = await readEvents(await resume(url, run_id));
    expect(events.at(-1)?.event).toBe("run.success");
    expect(provider.calls).toHaveLength(1);
    expect(ofType(events, "call.end").at(-1)).toMatchObject({ attempt: 2, recorded: true, status: 200 });
    expect(events.at(-1)?.data["usage"]).toMatchObject({ input_tokens: 11, output_tokens: 5 });
    const listed = await call(url, "GET", `/v1/runs/${run_id}/calls`);
    expect(listed.body["data"]).toEqual([
      expect.objectContaining({ attempt: 2, counted: null, output_tokens: 0, recorded: true }),
      expect.objectContaining({ attempt: 1, counted: "metered", output_tokens: 5, recorded: false }),
    ]);
    const { rows } = await stack.sql.query("SELECT * FROM run_open_calls");
    expect(rows).toEqual([]);
    await second.stop();
  },
  60_000,
);

async function entriesOf(run_id: string): Promise<number> {
  const { rows } = await stack.sql.query("SELECT key FROM journal_entries WHERE run_id = $1 AND kind = 'call'", [
    run_id,
  ]);
  return rows.length;
}

async function attemptOf(run_id: string): Promise<number> {
  const { rows } = await stack.sql.query("SELECT attempt FROM runs WHERE id = $1", [run_id]);
  return Number(rows[0]?.attempt);
}

/** Asks a model, and one that it falls back to; it says what each answered, and is killed once if the input has it so. */
const fallsBack = py`
  import json, os, signal, time, urllib.request
  from urllib.error import HTTPError
  def ask(model, text):
      body = json.dumps({"model": model, "messages": [{"role": "user", "content": text}]}).encode()
      address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
      request = urllib.request.Request(address, body, {"content-type": "application/json"})
      try:
          with urllib.request.urlopen(request, timeout=20) as answer: return [model, answer.status]
      except HTTPError as error: return [model, error.code]
  def main(input, context):
      said = [ask(model, "x") for model in input["models"]]
      if context.attempt == 1: os.kill(os.getpid(), signal.SIGKILL)
      return {"said": said}
`;

async function runOverOwnDeath(input_payload: object): Promise<SentEvent[]> {
  const worker = await stack.start("worker", settings);
  const retry = { max_attempts: 2, delay_ms: 0 };
  const agent_id = await makeAgent(url, fallsBack, { connections: ["openai"], retry });
  provider.calls.length = 0;
  const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload }));
  await worker.stop();
  return events;
}

test("failures that the code went past are given again, and the killed agent's last answer, too; the last failure is tried anew", async () => {
  provider.next.push(
    (res) => void res.writeHead(500, { "content-type": "application/json" }).end('{"error":{"message":"no"}}'),
    (res) => void res.writeHead(429).end("{}"),
  );
  const events = await runOverOwnDeath({ models: ["gpt-5", "gpt-5", "gpt-5-mini"] });
  const said = [
    ["gpt-5", 500],
    ["gpt-5", 429],
    ["gpt-5-mini", 200],
  ];
  expect(events.at(-1)?.data["result_content"]).toEqual({ said });
  expect(provider.calls).toHaveLength(3);
  const replayed = ofType(events, "call.end").filter(({ attempt }) => attempt === 2);
  expect(replayed.map(({ status, recorded }) => [status, recorded])).toEqual([
    [500, true],
    [429, true],
    [200, true],
  ]);

  provider.next.push((res) => void res.writeHead(503).end("{}"));
  const tried = await runOverOwnDeath({ models: ["gpt-5"] });
  expect(tried.at(-1)?.data["result_content"]).toEqual({ said: [["gpt-5", 200]] });
  expect(provider.calls).toHaveLength(2);
}, 60_000);

test("a failure whose next try was answered is given again, and then the answer", async () => {
  provider.next.push((res) => void res.writeHead(500).end("{}"));
  const events = await runOverOwnDeath({ models: ["gpt-5", "gpt-5", "gpt-5"] });
  const said = [
    ["gpt-5", 500],
    ["gpt-5", 200],
    ["gpt-5", 200],
  ];
  expect([events.at(-1)?.data["result_content"], provider.calls.length]).toEqual([{ said }, 3]);
}, 60_000);
