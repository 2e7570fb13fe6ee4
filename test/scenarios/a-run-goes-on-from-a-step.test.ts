import { expect, test } from "vitest";
import { answerRun, call, execute, makeAgent, readEvents, type SentEvent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.openApi();
await stack.openWorker();

const run = async (agent_id: string, input_payload: object = {}): Promise<{ id: string; events: SentEvent[] }> => {
  const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload }));
  return { id: String(events[0]?.data["run_id"]), events };
};

/** Runs a run again and reads it to its end. */
async function again(id: string, body: object): Promise<{ id: string; events: SentEvent[] }> {
  const { status, body: made } = await call(url, "POST", `/v1/runs/${id}/replay`, body);
  expect({ status, made }).toMatchObject({ status: 202 });
  const newId = String(made["id"]);
  return { id: newId, events: await readEvents(await fetch(`${url}/v1/runs/${newId}/stream`)) };
}

const begun = (events: readonly SentEvent[]): unknown[] => namesOf(events, "step.start");
const copied = (events: readonly SentEvent[]): unknown[] => namesOf(events, "step.copied");
const namesOf = (events: readonly SentEvent[], type: string): unknown[] =>
  events.filter(({ event }) => event === type).map(({ data }) => data["name"]);
const textOf = (events: readonly SentEvent[]): string =>
  events.flatMap(({ event, data }) => (event === "output.delta" ? [String(data["content"])] : [])).join("");
/** What an agent returned that is no object stands in `output`. */
function resultOf(events: readonly SentEvent[]): unknown {
  const result = events.at(-1)?.data["result_content"];
  return typeof result === "object" && result !== null && "output" in result ? result.output : result;
}

const shop = py`
  from runfleet import context

  def say(text, value):
      print(text, end="")
      return value

  def charge(order, amount):
      if amount < 0:
          raise ValueError("no such amount")
      return say("charging ", {"paid": amount})

  def main(order, total):
      print("begin ", end="")
      found = context.step("find", say, "finding ", {"order": order})
      print("found ", end="")
      paid = context.step("charge", charge, order, total)
      print("paid ", end="")
      sent = context.step("send", say, "sending ", "sent")
      return {"found": found, "paid": paid, "sent": sent}
`;

test("a run goes on from a step: what was done before it is taken over, with what it said", async () => {
  const agent = await makeAgent(url, shop);
  const first = await run(agent, { order: "o1", total: 3 });
  expect(resultOf(first.events)).toEqual({ found: { order: "o1" }, paid: { paid: 3 }, sent: "sent" });
  const second = await again(first.id, { from: "charge" });
  expect(copied(second.events)).toEqual(["find"]);
  expect(begun(second.events)).toEqual(["charge", "send"]);
  expect(textOf(second.events)).toBe("begin finding found charging paid sending ");
  expect(resultOf(second.events)).toEqual(resultOf(first.events));
  // The new run's journal is whole: a third one may begin with it.
  const third = await again(second.id, { from: "send#1", set: { charge: { paid: 99 } } });
  expect(copied(third.events)).toEqual(["find", "charge"]);
  expect(textOf(third.events)).toBe("begin finding found charging paid sending ");
  expect(resultOf(third.events)).toMatchObject({ paid: { paid: 99 } });
  const end = first.events.find(({ event, data }) => event === "step.end" && data["name"] === "charge");
  const fourth = await again(first.id, { from: end?.id, set: { "main/find#1": null } });
  expect(begun(fourth.events)).toEqual(["send"]);
  expect(resultOf(fourth.events)).toMatchObject({ found: null });
});

test("a run that failed goes on from where it failed, on another version, and in bulk", async () => {
  const agent = await makeAgent(url, shop);
  const failed = await run(agent, { order: "o2", total: -1 });
  expect(failed.events.at(-1)?.event).toBe("run.error");
  const body = { from: "failed", input_payload: { order: "o2", total: 5 } };
  const mended = await again(failed.id, body);
  expect(begun(mended.events)).toEqual(["charge", "send"]);
  expect(resultOf(mended.events)).toMatchObject({ found: { order: "o2" }, paid: { paid: 5 } });
  const set = await again(failed.id, { from: "failed", set: { charge: "by hand" } });
  expect(begun(set.events)).toEqual(["send"]);
  expect(resultOf(set.events)).toMatchObject({ paid: "by hand" });

  const filter = { agent_id: agent, status: "error" };
  const bulk = await call(url, "POST", "/v1/runs/bulk/replay", { filter, ...body });
  expect(bulk.status).toBe(202);
  await expect
    .poll(async () => (await call(url, "GET", `/v1/runs/bulk/${String(bulk.body["id"])}`)).body, { timeout: 10_000 })
    .toMatchObject({ status: "done", done: 1, failed: 0 });
  const { body: list } = await call(url, "GET", `/v1/runs?agent_id=${agent}&limit=1`);
  const [newest] = list["data"] as { id: string; replay_of: string }[];
  expect(newest?.replay_of).toBe(failed.id);
  const events = await readEvents(await fetch(`${url}/v1/runs/${newest?.id}/stream`));
  expect(begun(events)).toEqual(["charge", "send"]);
});

test("code that does something else goes on live from there, and says so", async () => {
  const python = (second: string) => py`
    from runfleet import context
    def main(input):
        a = context.step("a", lambda: 1)
        b = context.step("${second}", lambda n: n + 1, a)
        return [a, b, context.step("c", lambda: "c")]
  `;
  const node = (second: string) => `
    export async function main(input, context) {
      const a = await context.step("a", () => 1);
      const b = await context.step("${second}", () => a + 1);
      return [a, b, await context.step("c", () => "c")];
    }`;
  const kinds = [
    { source: python, config: {} },
    { source: node, config: { adapter_type: "node" } },
  ];
  for (const { source, config } of kinds) {
    const agent = await makeAgent(url, source("b"), config);
    const first = await run(agent);
    const next = { config: { ...config, source: source("other") } };
    expect((await call(url, "POST", `/v1/versions/${agent}`, next)).status).toBe(201);
    const second = await again(first.id, { from: "failed", version: "latest" });
    expect(resultOf(second.events)).toEqual([1, 2, "c"]);
    expect(copied(second.events)).toEqual(["a"]);
    expect(begun(second.events)).toEqual(["other", "c"]);
    const told = second.events.find(({ event }) => event === "replay.diverged");
    expect(told?.data).toMatchObject({ name: "other", before: "b", dropped: 2 });
    const third = await again(second.id, { from: "failed" });
    expect([begun(third.events), resultOf(third.events)]).toEqual([[], [1, 2, "c"]]);
  }
});

test("a question is asked again, and the answer counts for the new run", async () => {
  const agent = await makeAgent(
    url,
    py`
      from runfleet import context
      def main(input):
          a = context.step("a", lambda: 1)
          answer = context.interrupt("Go on?")
          return [a, answer, context.step("b", lambda: 2)]
    `,
  );
  const first = await run(agent);
  await answerRun(url, first.id, { response: "yes" });
  await readEvents(await fetch(`${url}/v1/runs/${first.id}/stream`));
  const second = await again(first.id, { from: "b" });
  expect(second.events.at(-1)?.event).toBe("run.interrupted");
  await answerRun(url, second.id, { response: "no" });
  const events = await readEvents(await fetch(`${url}/v1/runs/${second.id}/stream`));
  expect(resultOf(events)).toEqual([1, "no", 2]);
  expect(begun(events)).toEqual(["b"]);
});

test("a run's steps: their tries, states and branches, page by page, for who may read the run", async () => {
  const agent = await makeAgent(
    url,
    py`
      import asyncio
      from runfleet import context, step
      tries = {"max_attempts": 3, "delay_ms": 10}
      async def part(n):
          return await context.step("part", lambda: n)
      async def main(input):
          left = await asyncio.gather(part(1), part(2))
          @step(retry=tries)
          def flaky(step):
              if step.number < 3:
                  raise RuntimeError("not yet")
              return step.number
          def never():
              raise KeyError("gone")
          number = await flaky()
          try:
              await context.step("never", never)
          except KeyError:
              return [*left, number]
    `,
  );
  const { id, events } = await run(agent);
  expect(resultOf(events)).toEqual([1, 2, 3]);
  const steps: Record<string, unknown>[] = [];
  for (let after = 0, more = true; more;) {
    const { body } = await call(url, "GET", `/v1/runs/${id}/steps?limit=2&after=${after}`);
    steps.push(...(body["data"] as Record<string, unknown>[]));
    [after, more] = [Number(body["last_place"]), Boolean(body["has_more"])];
  }
  expect(steps.map(({ name, state, try: number }) => [name, state, number])).toEqual([
    ["part", "done", 1],
    ["part", "done", 1],
    ["flaky", "retried", 1],
    ["flaky", "retried", 2],
    ["flaky", "done", 3],
    ["never", "failed", 1],
  ]);
  expect(new Set(steps.slice(0, 2).map(({ branch }) => branch))).toEqual(new Set(["main/part~1", "main/part~2"]));
  expect(steps[2]).toMatchObject({ error: "RuntimeError: not yet", kind: "step", attempt: 1, branch: "main" });
  expect(steps[5]).toMatchObject({ error: "KeyError: gone" });
  const foreign = await call(url, "GET", "/v1/runs/run_of_nobody/steps");
  expect([foreign.status, foreign.body["code"]]).toEqual([404, "run_not_found"]);
});

test("a point that isn't there is told, and no run is made", async () => {
  const agent = await makeAgent(url, shop);
  const { id } = await run(agent, { order: "o", total: 1 });
  const cases = [
    [{ from: "charge#2" }, "from"],
    [{ from: "nothing" }, "from"],
    [{ set: { charge: 1 } }, "set"],
    [{ from: "charge", set: { send: 1 } }, "set"],
    [{ from: "charge", set: { nothing: 1 } }, "set"],
    [{ from: "send", set: { charge: "x".repeat(2 << 20) } }, "set"],
  ] as const;
  for (const [body, field] of cases) {
    const answer = await call(url, "POST", `/v1/runs/${id}/replay`, body);
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain(`["body","${field}"`);
  }
  const { body } = await call(url, "GET", `/v1/runs?agent_id=${agent}`);
  expect(body["data"]).toHaveLength(1);
});

test("a journal that is larger than an API's memory is taken over, page by page", async () => {
  const agent = await makeAgent(
    url,
    py`
      from runfleet import context
      def main(input):
          for n in range(60):
              context.step(f"s{n}", lambda: "x" * 1_000_000)
          return 1
    `,
  );
  const first = await run(agent);
  expect(first.events.at(-1)).toMatchObject({ event: "run.success" });
  const small = await stack.start("api", { NODE_OPTIONS: "--max-old-space-size=110" });
  const replay = () => call(small.url, "POST", `/v1/runs/${first.id}/replay`, { from: "s59" });
  const answers = await Promise.all([replay(), replay()]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  const [made] = answers.map(({ body }) => String(body["id"]));
  const { rows } = await stack.sql.query("SELECT last_place, bytes FROM run_journals WHERE run_id = $1", [made]);
  const { rows: written } = await stack.sql.query(
    "SELECT count(*)::integer AS last_place, sum(length(sealed_entry)) AS bytes FROM journal_entries WHERE run_id = $1 AND attempt = 0",
    [made],
  );
  expect(written).toMatchObject([{ last_place: 59 }]);
  expect(Number(rows[0].last_place)).toBeGreaterThanOrEqual(59);
  expect(BigInt(rows[0].bytes) >= BigInt(written[0].bytes)).toBe(true);
  for (const { body } of answers) await call(url, "POST", `/v1/runs/${String(body["id"])}/cancel`);
  // 180 MB are sealed and committed, which takes half a minute where another process has a core.
}, 60_000);

test("a run that can't be replayed ends, and goes on from where it was on mended code", async () => {
  const source = (second: string) => py`
    from runfleet import context
    def main(input):
        made = [context.step("first", lambda: context.attempt), context.step(f"${second}", lambda: context.attempt)]
        return made + [context.interrupt("Go on?")]
  `;
  const agent = await makeAgent(url, source("second-{context.attempt}"));
  const { id } = await run(agent);
  expect((await answerRun(url, id, { response: "yes" })).status).toBe(202);
  const ended = await readEvents(await fetch(`${url}/v1/runs/${id}/stream`));
  expect(ended.at(-1)).toMatchObject({ event: "run.error", data: { error: { code: "nondeterminism" } } });
  const next = { config: { source: source("second-1") } };
  expect((await call(url, "POST", `/v1/versions/${agent}`, next)).status).toBe(201);
  const mended = await again(id, { from: "failed", version: "latest" });
  expect([copied(mended.events), begun(mended.events)]).toEqual([["first", "second-1"], []]);
  expect(mended.events.at(-1)?.event).toBe("run.interrupted");
  const answered = await answerRun(url, mended.id, { response: "yes" });
  expect(answered.status).toBe(202);
});
