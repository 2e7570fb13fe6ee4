import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { answerRun, call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const asker = readFileSync(new URL("../agents/asker.py", import.meta.url), "utf8");
const answer = (runId: string, response: unknown, interrupt_id?: string) =>
  answerRun(url, runId, { response, ...(interrupt_id && { interrupt_id }) });
const idOf = (event: { data: Record<string, unknown> } | undefined) =>
  String((event?.data["interrupts"] as { id: string }[] | undefined)?.[0]?.id);

test("a run that asks is put aside, goes on with the answer, and its stream is one", async () => {
  const agent_id = await makeAgent(url, asker);
  const first = await readEvents(await execute(url, { agent_id, version: "current" }));
  const question = first.at(-1);
  expect(question).toMatchObject({
    event: "run.interrupted",
    data: {
      attempt: 1,
      state_snapshot: ' {"asked":0}',
      interrupts: [{ message: "Your name?", reason: "input_required", response_schema: { type: "string" } }],
    },
  });
  const runId = String(question?.data["run_id"]);
  const aside = await call(url, "GET", `/v1/runs/${runId}`);
  const interrupts = question?.data["interrupts"] as object[];
  expect(aside.body).toMatchObject({ status: "interrupted", worker_id: null, attempt: 1, interrupts });
  const inbox = async () => (await call(url, "GET", `/v1/interrupts?agent_id=${agent_id}`)).body;
  expect(await inbox()).toMatchObject({
    data: [{ run_id: runId, agent_id, version: "1.0.0", thread_id: null, user_id: "tester", interrupts }],
    has_more: false,
    last_id: runId,
  });
  const told = (await call(url, "GET", `/v1/notifications?run_id=${runId}`)).body["data"];
  expect(told).toMatchObject([{ type: "run.interrupted", level: "info", body: "Your name?", data: { interrupts } }]);
  expect((await resume(url, runId, question?.id)).status).toBe(204);

  const wrong = await answer(runId, 7);
  expect([wrong.status, wrong.body["detail"]]).toEqual([422, [expect.objectContaining({ loc: ["body", "response"] })]]);
  expect((await answer(runId, "Ada", idOf(question))).status).toBe(202);
  const second = await readEvents(await resume(url, runId, question?.id));
  expect(second.find(({ event }) => event === "run.started")?.data["discards"]).toEqual({
    attempt: 1,
    reason: "resumed",
  });
  expect(second.at(-1)).toMatchObject({
    event: "run.interrupted",
    data: { attempt: 2, state_snapshot: ' {"asked":1}' },
  });

  expect((await answer(runId, true)).status).toBe(202);
  const third = await readEvents(await resume(url, runId, second.at(-1)?.id));
  expect(third.at(-1)).toMatchObject({ event: "run.success", data: { result_content: { name: "Ada", sure: true } } });

  expect((await inbox())["data"]).toEqual([]);
  expect((await call(url, "GET", `/v1/runs/${runId}`)).body["interrupts"]).toEqual([]);
  const moves = (await call(url, "GET", `/v1/runs/${runId}/timeline`)).body["data"] as Record<string, unknown>[];
  expect(moves.map(({ to, actor, actor_id }) => [to, actor, actor_id])).toEqual([
    ["queued", "api", "open"],
    ["running", "worker", null],
    ["interrupted", "worker", null],
    ["queued", "client", "open"],
    ["running", "worker", null],
    ["interrupted", "worker", null],
    ["queued", "client", "open"],
    ["running", "worker", null],
    ["success", "worker", null],
  ]);
  const acts = (await call(url, "GET", `/v1/admin/audit?target_id=${runId}`)).body["data"];
  expect(acts).toMatchObject([
    { action: "resume_run", actor: "open" },
    { action: "resume_run", actor: "open" },
  ]);
  const whole = await readEvents(await resume(url, runId));
  expect(whole.map(({ id }) => id)).toEqual([...first, ...second, ...third].map(({ id }) => id));
});

test("an answer is answered as a run is: with the stream of what follows, with the run, or with where its stream goes on", async () => {
  const agent_id = await makeAgent(url, asker);
  const asked = await readEvents(await execute(url, { agent_id, version: "current" }));
  const [runId, question] = [String(asked[0]?.data["run_id"]), asked.at(-1)];
  const reply = (response: unknown, prefer?: string) =>
    fetch(`${url}/v1/runs/${runId}/resume`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(prefer && { prefer }) },
      body: JSON.stringify({ response }),
    });
  const streamed = await reply("Ada");
  expect([streamed.status, streamed.headers.get("content-location")]).toEqual([200, `/v1/runs/${runId}`]);
  const second = await readEvents(streamed);
  expect([second[0]?.id, second.at(-1)?.event]).toEqual(["2-1", "run.interrupted"]);

  const last = second.at(-1)?.id ?? "";
  const accepted = await reply(true, "respond-async");
  expect([accepted.status, accepted.headers.get("location")]).toEqual([202, `/v1/runs/${runId}/stream?after=${last}`]);
  expect(await accepted.json()).toMatchObject({ id: runId, after: last });
  const third = await readEvents(await fetch(url + String(accepted.headers.get("location"))));
  const whole = await readEvents(await resume(url, runId));
  expect(whole.map(({ id }) => id)).toEqual([...asked, ...second, ...third].map(({ id }) => id));
  expect(question?.event).toBe("run.interrupted");
  expect((await reply(true)).status).toBe(409);

  const { body } = await call(url, "POST", "/v1/execute", { agent_id, version: "current" }, { prefer: "wait=20" });
  await answerRun(url, String(body["id"]), { response: "Ada" });
  await readEvents(await resume(url, String(body["id"])));
  const waited = await call(
    url,
    "POST",
    `/v1/runs/${String(body["id"])}/resume`,
    { response: 1 },
    { prefer: "wait=20" },
  );
  expect([waited.status, waited.body["status"], waited.body["result_content"]]).toEqual([
    200,
    "success",
    { name: "Ada", sure: 1 },
  ]);
});

test("what its attempts before the question used is counted with the last one's", async () => {
  const source = py`
    def main(input, context):
        context.usage(input_tokens=10)
        if context.attempt == 1:
            sum(range(10_000_000))
        return {"name": context.interrupt("Your name?")}
  `;
  const agent_id = await makeAgent(url, source);
  const asked = await readEvents(await execute(url, { agent_id, version: "current" }));
  const runId = String(asked[0]?.data["run_id"]);
  const before = (await call(url, "GET", `/v1/runs/${runId}`)).body["usage"] as Record<string, number>;
  expect(before).toMatchObject({ input_tokens: 10, cpu_ms: expect.toSatisfy((ms: number) => ms >= 20) });
  await answer(runId, "Ada");
  const rest = await readEvents(await resume(url, runId, asked.at(-1)?.id));
  expect(rest.at(-1)).toMatchObject({ event: "run.success", data: { usage: { input_tokens: 20 } } });
  const after = rest.at(-1)?.data["usage"] as Record<string, number>;
  expect(after["cpu_ms"]).toBeGreaterThanOrEqual(before["cpu_ms"] ?? 0);
});

test("the files that it hands out are served as they are, with their type, as downloads", async () => {
  const agent_id = await makeAgent(url, asker.replaceAll("interrupt(", "(lambda *a, **k: 'x')("));
  const events = await readEvents(await execute(url, { agent_id, version: "current" }));
  const artifacts = events.filter(({ event }) => event === "artifact");
  expect(artifacts.map(({ data }) => [data["name"], data["mime"], data["size"]])).toEqual([
    ["report.txt", "text/plain", 4],
    ["chart.svg", "image/svg+xml", 6],
  ]);
  const runId = String(events[0]?.data["run_id"]);
  const listed = await call(url, "GET", `/v1/runs/${runId}/artifacts`);
  expect(listed.body["data"]).toMatchObject(
    artifacts.map(({ data: { name, mime, size, sha256, url: at } }) => ({ name, mime, size, sha256, url: at })),
  );
  const file = await fetch(url + String(artifacts[1]?.data["url"]));
  expect(await file.text()).toBe("<svg/>");
  expect(file.headers.get("content-type")).toContain("image/svg+xml");
  expect(file.headers.get("content-disposition")).toContain("attachment");
  expect((await fetch(`${url}/v1/runs/${runId}/artifacts/art_none`)).status).toBe(404);
});

test("exactly one of many answers counts, and nothing else can be answered", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      from runfleet import interrupt
      def main(input): return {'got': interrupt('?')}
    `,
  );
  const events = await readEvents(await execute(url, { agent_id, version: "current" }));
  const runId = String(events[0]?.data["run_id"]);
  expect((await answer(runId, 0, "int_other")).body).toMatchObject({ code: "interrupt_closed" });
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => answer(runId, index)));
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
  const won = answers.findIndex(({ status }) => status === 202);
  const rest = await readEvents(await resume(url, runId, events.at(-1)?.id));
  expect(rest.at(-1)?.data["result_content"]).toEqual({ got: won });
  expect((await answer(runId, 1)).body).toMatchObject({ code: "run_not_interrupted" });
  expect((await answer("run_none", 1)).status).toBe(404);
});

test("no answer counts after its time, whether the run was told so already or not", async () => {
  const agent_id = await makeAgent(url, "def main(input, context): return context.interrupt('q', expires_in_ms=300)");
  const events = await readEvents(await execute(url, { agent_id, version: "current" }));
  await sleep(400);
  expect((await answer(String(events[0]?.data["run_id"]), "late")).status).toBe(409);
});

test("a question whose schema no answer can fit is the agent's error", async () => {
  const source = "def main(input, context): return context.interrupt('q', response_schema={'type': 'nonsense'})";
  const events = await readEvents(await execute(url, { agent_id: await makeAgent(url, source), version: "current" }));
  expect(events.at(-1)).toMatchObject({
    event: "run.error",
    data: {
      error: { code: "agent_error", type: "InvalidSchema", message: expect.stringContaining("response_schema") },
    },
  });
});

test("a question that nobody answers expires, and a waiting run can be cancelled or completed", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      from runfleet import interrupt
      def main(input): return interrupt('?', expires_in_ms=input.get('ms'))
    `,
  );
  const ask = async (input_payload: Record<string, unknown>) => {
    const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload }));
    return { runId: String(events[0]?.data["run_id"]), last: events.at(-1)?.id };
  };
  const cancelled = await ask({});
  expect((await call(url, "POST", `/v1/runs/${cancelled.runId}/cancel`)).body["status"]).toBe("cancelled");
  expect((await readEvents(await resume(url, cancelled.runId, cancelled.last))).map(({ event }) => event)).toEqual([
    "run.cancelled",
  ]);
  const completed = await ask({});
  const done = await call(url, "POST", `/v1/runs/${completed.runId}/complete`, { result_content: { by: "hand" } });
  expect(done.body).toMatchObject({ status: "success", result_content: { by: "hand" } });
  const expiring = await ask({ ms: 1 });
  await expect
    .poll(async () => (await call(url, "GET", `/v1/runs/${expiring.runId}`)).body["status"], { timeout: 10_000 })
    .toBe("expired");
  const metered = "SELECT run_id FROM usage_records WHERE run_id = ANY($1)";
  const all = [cancelled, completed, expiring].map(({ runId }) => runId);
  const { rows } = await stack.sql.query(metered, [all]);
  // What they have done before they asked is billed, whatever became of the question.
  expect(rows.map(({ run_id }) => run_id).toSorted()).toEqual(all.toSorted());
});

test("progress from outside is an event of the running run, and its current status", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def main(input):
          yield 'up'
          time.sleep(30)
    `,
  );
  const response = await execute(url, { agent_id, version: "current" });
  const runId = String(response.headers.get("x-run-id"));
  const report = (body: unknown) => call(url, "POST", `/v1/runs/${runId}/progress`, body);
  const reading = readEvents(response, ({ event }) => event === "progress");
  await expect.poll(async () => (await report({ value: 0.25, message: "a quarter" })).status).toBe(202);
  expect((await reading).at(-1)?.data).toMatchObject({ type: "progress", value: 0.25, message: "a quarter" });
  expect((await call(url, "GET", `/v1/runs/${runId}`)).body["current_status"]).toBe("a quarter");
  expect((await report({ value: 2 })).status).toBe(422);
  await call(url, "POST", `/v1/runs/${runId}/cancel`);
  await expect.poll(async () => (await report({ value: 1 })).status).toBe(409);
});

/** A step is under way when another branch asks. */
const beside = {
  "Python, gather": py`
    import asyncio
    from runfleet import context
    async def slow():
        await asyncio.sleep(0.3)
        return context.attempt
    async def branch():
        first = await context.step("slow", slow)
        return [first, await context.step("after", lambda: context.attempt)]
    async def ask():
        await asyncio.sleep(0.05)
        return context.interrupt("Go on?")
    async def main(input):
        return [*await asyncio.gather(branch(), ask())]
  `,
  "Python, TaskGroup": py`
    import asyncio
    from runfleet import context
    async def slow():
        await asyncio.sleep(0.3)
        return context.attempt
    async def branch():
        first = await context.step("slow", slow)
        return [first, await context.step("after", lambda: context.attempt)]
    async def ask():
        await asyncio.sleep(0.05)
        return context.interrupt("Go on?")
    async def main(input):
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(branch()), group.create_task(ask())]
        return [task.result() for task in tasks]
  `,
  "Python, threads": py`
    import time
    from concurrent.futures import ThreadPoolExecutor
    from runfleet import context
    def slow():
        time.sleep(0.3)
        return context.attempt
    def branch():
        first = context.step("slow", slow)
        return [first, context.step("after", lambda: context.attempt)]
    def main(input):
        other = ThreadPoolExecutor().submit(branch)
        time.sleep(0.05)
        answer = context.interrupt("Go on?")
        return [other.result(), answer]
  `,
  Node: `
    import { setTimeout as sleep } from "node:timers/promises";
    export async function main(input, context) {
      const slow = () => sleep(300).then(() => context.attempt);
      async function branch() {
        const first = await context.step("slow", slow);
        return [first, await context.step("after", () => context.attempt)];
      }
      async function ask() {
        await sleep(50);
        try {
          return context.interrupt("Go on?");
        } catch {
          return "caught"; // The question ends the run all the same.
        }
      }
      return Promise.all([branch(), ask()]);
    }`,
};

test.each(Object.entries(beside))(
  "%s: what other branches have under way is kept before a question ends the run, and nothing new is begun",
  async (language, source) => {
    const adapter_type = language === "Node" ? "node" : "python";
    const agent_id = await makeAgent(url, source, { adapter_type });
    const first = await readEvents(await execute(url, { agent_id, version: "current" }));
    const question = first.at(-1);
    expect(question).toMatchObject({ event: "run.interrupted", data: { interrupts: [{ message: "Go on?" }] } });
    const steps = first.filter(({ event }) => event.startsWith("step."));
    expect(steps.map(({ event, data }) => [event, data["name"]])).toEqual([
      ["step.start", "slow"],
      ["step.end", "slow"],
    ]);
    const runId = String(question?.data["run_id"]);
    expect((await answer(runId, "yes")).status).toBe(202);
    const second = await readEvents(await resume(url, runId, question?.id));
    expect(second.at(-1)?.data["result_content"]).toEqual({ output: [[1, 2], "yes"] });
  },
);
