import { afterAll, expect, test } from "vitest";
import { parseEventId } from "../../shared/domain/run/event-id.ts";
import { voidedBy } from "../../shared/domain/run/void-events.ts";
import { answerRun, call, execute, makeAgent, readEvents, resume, type SentEvent } from "../harness/client.ts";
import { type Cut, type FaultProxy, openFaultProxy } from "../harness/fault-proxy.ts";
import { py } from "../harness/py.ts";
import { waitFor } from "../harness/wait-for.ts";
import { bundleAgent } from "../worker/adapters/bundle-agent.ts";
import { type Member, useTestStack } from "../harness/test-stack.ts";

const proxies: FaultProxy[] = [];
const stack = await useTestStack();
const { url } = await stack.openApi();
/** The worker of most tests. */
let everyday: Member | undefined;
afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())));

/** A worker that is killed as soon as its statement was sent (before: and lost; after: and committed). */
async function startDoomed(text: string, cut: Cut): Promise<{ dead: Promise<void> }> {
  const at = new URL(stack.databaseUrl);
  const proxy = await openFaultProxy({ host: at.hostname, port: Number(at.port) });
  proxies.push(proxy);
  at.port = String(proxy.port);
  const member = await stack.start("worker", { DATABASE_URL: at.href, WORKER_SLOTS: "2" });
  const dead = proxy.silenceAt(text, cut).then(async () => {
    await member.stop("SIGKILL");
    await stack.lapse(member);
  });
  return { dead };
}

/** The text that stands at the end, as a client shows it. */
function shownOf(events: readonly SentEvent[]): string {
  let said: SentEvent[] = [];
  for (const event of events) {
    if (event.event === "run.started" || event.event === "step.retrying") {
      const isVoid = voidedBy(event.data);
      said = said.filter(({ id }) => !isVoid(parseEventId(id) ?? { attempt: 0, seq: 0 }));
    }
    if (event.event === "output.delta") said.push(event);
  }
  return said.map(({ data }) => String(data["content"])).join("");
}

/** Keys of steps that were begun after they had ended well. */
function doneTwice(events: readonly SentEvent[]): unknown[] {
  const done = new Set<unknown>();
  return events.flatMap(({ event, data }) => {
    if (event === "step.end" && data["ok"]) done.add(data["key"]);
    return event === "step.start" && done.has(data["key"]) ? [data["key"]] : [];
  });
}

async function run(agent_id: string, input_payload: Record<string, unknown> = {}): Promise<SentEvent[]> {
  return readEvents(await execute(url, { agent_id, version: "current", input_payload }));
}

/** Says something before, in and after each of five steps. */
const story = py`
  import time
  from runfleet import context, step

  @step
  def tell(n):
      for part in range(3):
          print(f"{n}.{part}", end=" ")
          time.sleep(0.02)
      return {"square": n * n, "big": 2**60 + n, "bytes": bytes([n])}

  def main(input):
      told = []
      for n in range(5):
          yield f"before {n}: "
          told.append(tell(n))
          yield f"after {n}. "
      return {"squares": [one["square"] for one in told], "big": [str(one["big"]) for one in told],
              "bytes": [one["bytes"].hex() for one in told], "id": context.uuid()}
`;
const wholeStory = Array.from({ length: 5 }, (_, n) => `before ${n}: ${n}.0 ${n}.1 ${n}.2 after ${n}. `).join("");

/** Node's. */
const nodeStory = `
  import { context, step, uuid } from "runfleet";
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  export async function* main() {
    const told = [];
    for (let n = 0; n < 5; n += 1) {
      yield \`before \${n}: \`;
      told.push(await step("tell", async () => {
        for (let part = 0; part < 3; part += 1) {
          process.stdout.write(\`\${n}.\${part} \`);
          await pause(20);
        }
        return { square: n * n, at: new Date(n), bytes: new Uint8Array([n]) };
      }));
      yield \`after \${n}. \`;
    }
    const bytes = told.map((one) => Buffer.from(one.bytes).toString("hex"));
    return { squares: told.map((one) => one.square), at: told.map((one) => one.at.getTime()), bytes, id: uuid() };
  }
`;

test("workers killed before and after the commit of a step: no finished step runs again, and each thing stands once", async () => {
  const agents = [
    await makeAgent(url, story, { max_attempts: 9 }),
    await makeAgent(url, nodeStory, { adapter_type: "node", max_attempts: 9 }),
  ];
  const points = [
    ["append-journal-entries", "before"],
    ["append-journal-entries", "after"],
    ["append-transcript", "after"],
  ] as const;
  const doomed = await Promise.all(points.map(([text, cut]) => startDoomed(text, cut)));
  const reading = Promise.all(Array.from({ length: 8 }, async (_, n) => run(agents[n % 2] ?? "")));
  await Promise.all(doomed.map(({ dead }) => dead));
  everyday = await stack.start("worker", { WORKER_SLOTS: "12" });
  const all = await reading;
  for (const events of all) {
    expect(events.at(-1)).toMatchObject({
      event: "run.success",
      data: { result_content: { squares: [0, 1, 4, 9, 16], bytes: ["00", "01", "02", "03", "04"] } },
    });
    expect(shownOf(events)).toBe(wholeStory);
    expect(doneTwice(events)).toEqual([]);
    const id = String(events[0]?.data["run_id"]);
    await stack.redis.del(`${stack.prefix}run:${id}`);
    expect(await readEvents(await resume(url, id))).toEqual(events);
  }
  expect(all.flat().filter(({ event, data }) => event === "run.started" && "keeps" in data).length).toBeGreaterThan(0);
}, 60_000);

test("Node: tries, time limits, refusals and another way than before", async () => {
  const source = `
    import { NonRetryable, StepFailed } from "runfleet";
    const said = [];
    const attempt = async (context, name, fn, options) => {
      try {
        await context.step(name, fn, options);
      } catch (error) {
        said.push([error.name, error.message, error instanceof StepFailed]);
      }
    };
    export async function main(input, context) {
      const flaky = async (step) => {
        if (step.number < 3) throw new TypeError("not yet");
        return step.number;
      };
      const number = await context.step("flaky", flaky, { retry: { max_attempts: 3, delay_ms: 5 } });
      await attempt(context, "never", () => { throw new NonRetryable("never"); }, { retry: { max_attempts: 3 } });
      await attempt(context, "slow", () => new Promise((resolve) => setTimeout(resolve, 9_000)), { timeout_ms: 50 });
      await attempt(context, "outer", () => context.step("inner", () => 1));
      await attempt(context, "map", () => ({ a: [new Map()] }));
      const found = await Promise.all([1, 2, 3].map(async (n) => {
        const one = await context.step("fetch", () => n);
        return one + (await context.step("fetch", () => n * 10));
      }));
      if (input.ask) {
        await context.step(context.attempt === 1 ? "left" : "right", () => 1);
        context.interrupt("Go on?");
      }
      return { number, said, found };
    }
  `;
  const agent_id = await makeAgent(url, source, { adapter_type: "node" });
  const events = await run(agent_id);
  expect(events.at(-1)?.data["result_content"]).toEqual({
    number: 3,
    said: [
      ["NonRetryable", "never", false],
      ["StepTimeout", "Step 'slow' ran over its timeout_ms of 50.", false],
      ["DurableCallInStep", expect.stringMatching(/^step 'inner' was called inside of step 'outer'/), false],
      ["ResultNotJSON", expect.stringMatching(/^step 'map' returned an object of Map at \$\.a\[0\]/), false],
    ],
    found: [11, 22, 33],
  });
  const asked = await run(agent_id, { ask: true });
  const runId = String(asked[0]?.data["run_id"]);
  await answerRun(url, runId, { response: "yes" });
  const last = (await readEvents(await resume(url, runId))).at(-1);
  expect(last).toMatchObject({ event: "run.error", data: { error: { code: "nondeterminism" } } });
  expect(JSON.stringify(last?.data["error"])).toMatch(/called step 'left' here and this one calls 'right'/);
});

test("a step's tries, their delays and what the failed ones said", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      from runfleet import NonRetryable, RetryAfter, StepFailed, step

      class Busy(Exception):
          pass

      def flaky(step):
          print(f"try {step.number} ", end="")
          if step.number == 1:
              raise Busy("not yet")
          if step.number == 2:
              raise RetryAfter(0.01)
          return [step.number, step.idempotency_key]

      def hopeless():
          raise NonRetryable("never")

      def main(input, context):
          number, key = context.step("flaky", flaky, retry={"max_attempts": 5, "delay_ms": 20})
          errors = []
          for function, kind in ((hopeless, NonRetryable), (lambda: {}["x"], KeyError)):
              try:
                  context.step("bad", function, retry={"max_attempts": 3, "delay_ms": 5, "on": [ValueError]})
              except kind as error:
                  errors.append([type(error).__name__, str(error), isinstance(error, StepFailed)])
          return {"number": number, "key": len(key), "errors": errors}
    `,
  );
  const events = await run(agent_id);
  expect(events.at(-1)?.data["result_content"]).toEqual({
    number: 3,
    key: 32,
    errors: [
      ["NonRetryable", "never", true],
      ["KeyError", "x", true],
    ],
  });
  const retrying = events.filter(({ event }) => event === "step.retrying");
  expect(retrying.map(({ data }) => [data["try"], data["error"]])).toEqual([
    [1, "Busy: not yet"],
    [2, "RetryAfter: Try again after 0.01 s."],
  ]);
  expect(shownOf(events)).toBe("try 3 ");
});

test("a plain step that runs over its time is tried again in another process, which no attempt is charged for", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def slow(step):
          time.sleep(0 if step.number == 2 else 30)
          return step.number
      def main(input, context):
          first = context.step("first", lambda: 1)
          return {"first": first, "number": context.step("slow", slow, timeout_ms=300, retry={"max_attempts": 2, "delay_ms": 0})}
    `,
  );
  const events = await run(agent_id);
  expect(events.at(-1)).toMatchObject({ event: "run.success", data: { result_content: { first: 1, number: 2 } } });
  expect(doneTwice(events)).toEqual([]);
  const { rows } = await stack.sql.query(
    "SELECT lost_attempts, failed_attempts, (SELECT json_agg(reason ORDER BY seq) FROM run_transitions WHERE run_id = runs.id) AS reasons FROM runs WHERE id = $1",
    [events[0]?.data["run_id"]],
  );
  expect(rows[0]).toMatchObject({ lost_attempts: 0, failed_attempts: 0 });
  expect(rows[0].reasons).toContain("step_timeout");
});

test("asyncio: a plain step that runs over its time is stopped with its process, and what waits for a thread without", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import asyncio, concurrent.futures, time
      from runfleet import StepTimeout
      def slow(step):
          time.sleep(0 if step.number == 2 else 30)
          return step.number
      async def outcome_of(call):
          try:
              return await call
          except StepTimeout:
              return "timed out"
      async def main(input, context):
          asyncio.get_running_loop().set_default_executor(concurrent.futures.ThreadPoolExecutor(1))
          number = await context.step("slow", slow, timeout_ms=300, retry={"max_attempts": 2, "delay_ms": 0})
          hung = await outcome_of(context.step("hung", time.sleep, 30, timeout_ms=300))
          attempt = context.attempt
          first = context.step("first", time.sleep, 1)
          queued = await outcome_of(context.step("queued", time.sleep, 0, timeout_ms=300))
          lazy = await outcome_of(context.step("lazy", lambda: asyncio.sleep(30), timeout_ms=1500))
          await first
          return {"number": number, "hung": hung, "queued": queued, "lazy": lazy, "attempts": [attempt, context.attempt]}
    `,
  );
  const events = await run(agent_id);
  expect(events.at(-1)?.data["result_content"]).toEqual({
    number: 2,
    hung: "timed out",
    queued: "timed out",
    lazy: "timed out",
    attempts: [3, 3],
  });
  const { rows } = await stack.sql.query(
    "SELECT array_agg(reason::text) AS reasons FROM run_transitions WHERE run_id = $1 AND reason = 'step_timeout'",
    [events[0]?.data["run_id"]],
  );
  expect(rows[0].reasons).toHaveLength(2);
}, 60_000);

test("asyncio: steps at the same time keep their results apart, and the first one stays the first", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import asyncio, random
      async def fetch(n):
          await asyncio.sleep(random.random() / 50)
          return n
      async def branch(context, n):
          return [await context.step("fetch", fetch, n * 10 + part) for part in range(3)]
      async def main(input, context):
          found = await asyncio.gather(*(branch(context, n) for n in range(4)))
          bids = {context.step(f"bid {n}", fetch, n): n for n in range(3)}
          done, rest = await asyncio.wait(bids, return_when=asyncio.FIRST_COMPLETED)
          won = min(bid.result() for bid in done)
          await asyncio.gather(*rest)
          context.interrupt("Go on?")
          return {"found": found, "won": won, "at": str(await context.now())}
    `,
  );
  const asked = await run(agent_id);
  const runId = String(asked[0]?.data["run_id"]);
  const before = await stack.sql.query("SELECT count(*)::int AS count FROM journal_entries WHERE run_id = $1", [runId]);
  expect(before.rows[0].count).toBe(12 + 3 + 1);
  await answerRun(url, runId, { response: "yes" });
  const events = await readEvents(await resume(url, runId));
  expect(events.at(-1)).toMatchObject({
    event: "run.success",
    data: { result_content: { found: [0, 1, 2, 3].map((n) => [n * 10, n * 10 + 1, n * 10 + 2]) } },
  });
  expect(doneTwice(events)).toEqual([]);
});

test("a question: no step before it runs again, and what was said before it stands", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      def main(input, context):
          yield "One moment. "
          drawn = context.step("draw", lambda: 7)
          yield f"I have {drawn}. "
          answer = context.interrupt("More?")
          yield f"You said {answer}."
          return {"drawn": drawn}
    `,
  );
  const asked = await run(agent_id);
  expect(asked.at(-1)?.event).toBe("run.interrupted");
  const runId = String(asked[0]?.data["run_id"]);
  await answerRun(url, runId, { response: "yes" });
  const events = await readEvents(await resume(url, runId));
  expect(shownOf(events)).toBe("One moment. I have 7. You said yes.");
  expect(events.find(({ id }) => id === "2-1")?.data).toMatchObject({
    reason: "resumed",
    keeps: expect.stringMatching(/^1-/),
  });
  expect(doneTwice(events)).toEqual([]);
  const text = await (await fetch(`${url}/v1/runs/${runId}/stream?format=text`)).text();
  expect(text.split("is void (resumed)]\n").at(-1)).toBe("One moment. I have 7. You said yes.");
});

test("a question while a step is under way: the step is done after the answer", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import asyncio
      async def slow():
          await asyncio.sleep(0.5)
          return 1
      async def ask(context):
          await context.step("first", lambda: 0)
          return context.interrupt("Go on?")
      async def main(input, context):
          return {"done": await asyncio.gather(context.step("slow", slow), ask(context))}
    `,
  );
  const asked = await run(agent_id);
  expect(asked.at(-1)?.event).toBe("run.interrupted");
  const runId = String(asked[0]?.data["run_id"]);
  await answerRun(url, runId, { response: "yes" });
  const last = (await readEvents(await resume(url, runId))).at(-1);
  expect(last?.data["result_content"]).toEqual({ done: [1, "yes"] });
});

/** The two questions are asked in another order on the first attempt than on the others. */
const askers = {
  python: py`
    import threading
    from concurrent.futures import ThreadPoolExecutor
    from runfleet import context

    def main(input):
        context.step("begin", lambda: 1)
        first = threading.Event()
        def ask(name):
            if name == ("B" if context.attempt == 1 else "A"):
                first.wait()
            try:
                return context.interrupt(f"Pay {name}?")
            finally:
                first.set()
        with ThreadPoolExecutor(2) as pool:
            return dict(zip("AB", pool.map(ask, "AB")))
  `,
  node: `
    export async function main(input, context) {
      await context.step("begin", () => 1);
      let go;
      const first = new Promise((resolve) => (go = resolve));
      const ask = async (name) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (name === (context.attempt === 1 ? "B" : "A")) await first;
        try {
          return context.interrupt("Pay " + name + "?");
        } finally {
          go();
        }
      };
      const [A, B] = await Promise.all([ask("A"), ask("B")]);
      return { A, B };
    }`,
};

test.each(["python", "node"] as const)(
  "%s: an answer is that of its question, whichever question the code comes to first",
  async (adapter_type) => {
    const agent_id = await makeAgent(url, askers[adapter_type], { adapter_type });
    const all = await run(agent_id);
    const runId = String(all[0]?.data["run_id"]);
    for (const name of ["A", "B"]) {
      expect(all.at(-1)?.data["interrupts"]).toMatchObject([{ message: `Pay ${name}?` }]);
      await answerRun(url, runId, { response: `yes, ${name}` });
      all.push(...(await readEvents(await resume(url, runId, all.at(-1)?.id))));
    }
    expect(all.at(-1)?.data["result_content"]).toEqual({ A: "yes, A", B: "yes, B" });
  },
);

test("code that takes another way than before ends the run, and names both calls", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      def main(input, context):
          try:
              context.step("left" if context.attempt == 1 else "right", lambda: 1)
          except Exception:
              pass
          context.interrupt("Go on?")
          return {}
    `,
  );
  const asked = await run(agent_id);
  const runId = String(asked[0]?.data["run_id"]);
  await answerRun(url, runId, { response: "yes" });
  const last = (await readEvents(await resume(url, runId))).at(-1);
  expect(last).toMatchObject({ event: "run.error", data: { error: { code: "nondeterminism" } } });
  expect(JSON.stringify(last?.data["error"])).toMatch(/call 1 of branch 'main' was 'left'.*step 'right' now/);
});

test("an agent's retry keeps what was done, and does anew what had failed", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      def main(input, context):
          kept = context.step("kept", lambda: context.attempt)
          def fail():
              if context.attempt == 1:
                  raise ValueError("not now")
              return context.attempt
          return {"kept": kept, "failed": context.step("failed", fail)}
    `,
    { retry: { max_attempts: 2, delay_ms: 10 } },
  );
  const events = await run(agent_id);
  expect(events.at(-1)?.data["result_content"]).toEqual({ kept: 1, failed: 2 });
});

test("Python: an agent's retry does anew what came of a failed step in other tasks and threads, and keeps what they did beside it", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import asyncio
      from concurrent.futures import ThreadPoolExecutor
      def main(input, context):
          def work(n):
              if n == 1 and context.attempt == 1:
                  raise ValueError("not now")
              return [n, context.attempt]
          def known(results):
              failed = [one for one in results if isinstance(one, Exception)]
              return failed, [one for one in results if one not in failed]
          attempt = lambda: context.attempt
          async def part(n):
              if n == 2:
                  await asyncio.sleep(0.2)
              return await context.step("part", work, n)
          async def tell(results):
              return await context.step("tell", lambda: [results, context.attempt])
          async def tasks():
              kept = await context.step("kept", attempt)
              failed, results = known(await asyncio.gather(part(1), part(2), return_exceptions=True))
              told = await asyncio.gather(tell(results), tell("again"))
              total = await context.step("total", lambda: len(results))
              if failed:
                  raise failed[0]
              return [kept, results, told, total, await context.step("last", attempt)]
          def threads():
              def job(n):
                  return context.step("part", work, n)
              with ThreadPoolExecutor(2) as pool:
                  jobs = [pool.submit(job, n) for n in (1, 2)]
              failed, results = known([one.exception() or one.result() for one in jobs])
              total = context.step("total", lambda: len(results))
              if failed:
                  raise failed[0]
              return [results, total]
          return {"said": asyncio.run(tasks()) if input["way"] == "tasks" else threads()}
    `,
    { retry: { max_attempts: 2, delay_ms: 10 } },
  );
  const ends = await Promise.all(["tasks", "threads"].map(async (way) => (await run(agent_id, { way })).at(-1)?.data));
  const parts = [
    [1, 2],
    [2, 1],
  ];
  expect(ends.map((end) => end?.["result_content"] ?? end?.["error"])).toEqual([
    {
      said: [
        1,
        parts,
        [
          [parts, 2],
          ["again", 2],
        ],
        2,
        2,
      ],
    },
    { said: [parts, 2] },
  ]);
});

test("Node: an agent's retry does anew what came after the failed step, and keeps what flows beside it have done", async () => {
  const source = `
    export async function main({ way }, context) {
      const { attempt } = context;
      const once = () => {
        if (attempt === 1) throw new Error("not now");
        return attempt;
      };
      const kept = await context.step("kept", () => attempt);
      if (way === "caught")
        try {
          await context.step("charge", once);
        } catch (error) {
          await context.step("notify", () => attempt);
          throw error;
        }
      if (way === "beside") {
        let end;
        const ended = new Promise((resolve) => (end = resolve));
        const f = async () => [await context.step("a1", () => attempt), await context.step("a2", () => attempt).finally(end)];
        const g = () => context.step("b1", () => ended.then(once));
        return [kept, ...(await Promise.all([f(), g()]))];
      }
      if (way === "joined") {
        const [left, right] = await Promise.allSettled([context.step("left", once), context.step("right", () => attempt)]);
        if (left.reason) {
          await context.step("notify", () => attempt);
          throw left.reason;
        }
        return [kept, left.value, right.value, await context.step("last", () => attempt)];
      }
      return [kept, await context.step("notify", () => attempt)];
    }`;
  const agent_id = await makeAgent(url, source, { adapter_type: "node", retry: { max_attempts: 2, delay_ms: 10 } });
  const ways = ["caught", "beside", "joined"];
  const ends = await Promise.all(ways.map(async (way) => (await run(agent_id, { way })).at(-1)?.data));
  expect(ends.map((end) => end?.["result_content"] ?? end?.["error"])).toEqual([
    { output: [1, 2] },
    { output: [1, [1, 1], 2] },
    { output: [1, 2, 1, 2] },
  ]);
});

test("Node: a step may fail on several attempts: nothing stays that came of its failure, and its retries know of each other", async () => {
  const source = `
    export async function main({ way }, { attempt, step, branch }) {
      const left = () => step("left", () => { if (attempt < 3) throw new Error("not now"); return 100; });
      const right = () => step("right", () => 1);
      if (way === "sum") {
        const ended = await Promise.allSettled([left(), right()]);
        const sum = await step("sum", () => ended.reduce((all, { value = 0 }) => all + value, 0));
        if (ended[0].reason) throw ended[0].reason;
        return { sum, attempt };
      }
      // Nothing tells that this comes of the step.
      let tell;
      const told = new Promise((resolve) => (tell = resolve));
      const watch = branch("watch", () => told.then((reason) => reason && step("notify", () => attempt)));
      const [{ value, reason }] = await Promise.allSettled([left(), right()]);
      tell(reason);
      await watch;
      if (reason) throw reason;
      return { value, attempt };
    }`;
  const agent_id = await makeAgent(url, source, { adapter_type: "node", retry: { max_attempts: 3, delay_ms: 10 } });
  const ends = await Promise.all(["sum", "watch"].map(async (way) => (await run(agent_id, { way })).at(-1)?.data));
  expect(ends.map((end) => end?.["result_content"] ?? end?.["error"])).toEqual([
    { sum: 101, attempt: 3 },
    { value: 100, attempt: 3 },
  ]);
});

test("what can't be kept, and durable calls inside of a step, are errors that say what to do", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import decimal
      from runfleet import DuplicateKey, DurableCallInStep, DurableError, JournalFull, ResultNotJSON, ResultTooLarge
      def main(input, context):
          said = []
          def attempt(kind, name, function, **options):
              try:
                  context.step(name, function, **options)
              except kind as error:
                  said.append(f"{type(error).__name__}: {error}")
          attempt(ResultNotJSON, "total", lambda: {"a": [decimal.Decimal(1)]})
          attempt(ResultTooLarge, "large", lambda: "x" * (1 << 20))
          attempt(DurableCallInStep, "outer", lambda: context.step("inner", lambda: 1))
          context.step("once", lambda: 1, key="a")
          attempt(DuplicateKey, "once", lambda: 1, key="a")
          attempt(ValueError, "", lambda: 1)
          attempt(TypeError, "options", lambda: 1, retry={"tries": 2})
          return {"said": said}
    `,
  );
  const events = await run(agent_id);
  const said = [
    expect.stringMatching(
      /^ResultNotJSON: step 'total' returned decimal.Decimal at \$\.a\[0\], which can't be kept\. Return/,
    ),
    expect.stringMatching(/^ResultTooLarge: step 'large' returned 1048578 bytes; a step may return 1048576\./),
    expect.stringMatching(/^DurableCallInStep: step 'inner' was called inside of step 'outer'.*plain function/),
    expect.stringMatching(/^DuplicateKey: step 'once' with key='a'/),
    expect.stringMatching(/^ValueError: A step's name/),
    expect.stringMatching(/^TypeError: A step's retry has no 'tries'/),
  ];
  expect(events.at(-1)?.data["result_content"]).toEqual({ said });
});

test("a hostile agent that writes a step's frames by hand ends its own run, and nothing else", async () => {
  const hostile = (body: string) =>
    makeAgent(
      url,
      `import json, os, time\ndef send(**frame): os.write(3, (json.dumps(frame) + "\\n").encode())\n${body}`,
    );
  const end = `dict(type="step.end", kind="step", name="x", branch="main", position=0, args=None, closes=[], ok=True, result="1", **{"try": 1})`;
  const bodies = {
    malformed: `def main(input):\n  send(type="step.end", key=7)\n  time.sleep(20)`,
    long: `def main(input):\n  send(**{**${end}, "key": "k" * 5000})\n  time.sleep(20)`,
    flood: `def main(input):\n  for n in range(30000): send(**{**${end}, "key": f"k{n}"})\n  time.sleep(20)`,
    same: `def main(input):\n  for n in range(5000): send(**{**${end}, "key": "k"})\n  return {}`,
  };
  const ends = await Promise.all(
    Object.values(bodies).map(async (body) => (await run(await hostile(body))).at(-1)?.data as Record<string, unknown>),
  );
  expect(ends.map(({ status, error }) => [status, (error as { code: string } | null)?.code])).toEqual([
    ["error", "sandbox_breach"],
    ["error", "sandbox_breach"],
    ["error", "journal_full"],
    ["success", undefined],
  ]);
  const agent_id = await makeAgent(url, "def main(input, context): return {'n': context.step('n', lambda: 1)}");
  expect((await run(agent_id)).at(-1)?.data["result_content"]).toEqual({ n: 1 });
}, 40_000);

test("results are sealed at rest, and gone with their run", async () => {
  const secret = "4711-very-private";
  const agent_id = await makeAgent(
    url,
    `def main(input, context):\n  return {"n": len(context.step("s", lambda: "${secret}" * 9000))}`,
  );
  const runId = (await run(agent_id))[0]?.data["run_id"];
  const rows = await stack.sql.query<{ sealed_entry: Buffer }>("SELECT * FROM journal_entries WHERE run_id = $1", [
    runId,
  ]);
  expect(rows.rows).toHaveLength(1);
  expect(JSON.stringify(rows.rows)).not.toContain(secret);
  expect(rows.rows[0]?.sealed_entry.includes(secret)).toBe(false);
  // It was compressed.
  expect(rows.rows[0]?.sealed_entry.length).toBeLessThan(10_000);
  expect((await call(url, "DELETE", `/v1/runs/${String(runId)}`)).status).toBe(204);
  for (const table of ["journal_entries", "run_journals"])
    expect((await stack.sql.query(`SELECT 1 FROM ${table} WHERE run_id = $1`, [runId])).rowCount).toBe(0);
});

test("the state that a step has saved, and its usage, are the run's on each attempt, and count once", async () => {
  const python = py`
    import os
    from runfleet import context
    def work():
        context.save_state({"done": 1})
        context.usage(input_tokens=10)
        context.usage(cost_usd=0.5)
        return 1
    def main(input):
        token = os.urandom(8).hex()
        done = context.step("work", work)
        if input["asks"]:
            context.interrupt("Go on?")
        elif context.step("first", lambda: token) == token:
            context.step("slow", __import__("time").sleep, 60, timeout_ms=50, retry={"max_attempts": 1})
        return done
  `;
  const node = `
    export async function main(input, context) {
      const done = await context.step("work", () => {
        context.saveState({ done: 1 });
        context.usage({ input_tokens: 10 });
        context.usage({ cost_usd: 0.5 });
        return 1;
      });
      if (input.asks) context.interrupt("Go on?");
      return done;
    }`;
  const agents = [
    { id: await makeAgent(url, python), asks: [true, false] },
    { id: await makeAgent(url, node, { adapter_type: "node" }), asks: [true] },
  ];
  for (const { id, asks } of agents)
    for (const isAsking of asks) {
      const events = await run(id, { asks: isAsking });
      const runId = String(events[0]?.data["run_id"]);
      if (isAsking) await answerRun(url, runId, { response: "yes" });
      const all = await readEvents(await resume(url, runId));
      const end = all.at(-1)?.data;
      expect(end).toMatchObject({ attempt: 2, usage: { input_tokens: 10, cost_usd: 0.5 } });
      expect(JSON.parse(String(end?.["state_snapshot"]))).toEqual({ done: 1 });
    }
});

test("Node: a LangGraph graph goes on from its checkpoint after its worker was killed, and after each answer", async () => {
  const source = `
    import { JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
    import { Annotation, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
    // As the build adds it.
    globalThis[Symbol.for("runfleet.serializer")] = new JsonPlusSerializer();
    const concat = () => Annotation({ reducer: (left, right) => left.concat(right), default: () => [] });
    const State = Annotation.Root({ ...MessagesAnnotation.spec, ran: concat(), bytes: Annotation() });
    const say = (name) => (console.log(name), { ran: [name] });
    const inner = new StateGraph(State)
      .addNode("inside", () => say("inside"))
      .addNode("ask", () => ({ ran: [interrupt("first?"), interrupt({ second: true })] }))
      .addEdge(START, "inside").addEdge("inside", "ask").compile();
    export const graph = () => {
      return new StateGraph(State)
        .addNode("one", () => ({ ...say("one"), bytes: new Uint8Array([1, 2]), messages: [{ role: "user", content: "hi" }] }))
        .addNode("fast", () => say("fast"))
        .addNode("slow", async () => {
          if (globalThis.isFirst) await new Promise((resolve) => setTimeout(resolve, 60_000));
          return say("slow");
        })
        .addNode("inner", inner)
        .addNode("last", ({ messages, bytes }) => ({ ran: [messages[0].getType(), bytes.length] }))
        .addEdge(START, "one").addEdge("one", "fast").addEdge("one", "slow")
        .addEdge(["fast", "slow"], "inner").addEdge("inner", "last").compile();
    };
    export const main = (input, context) => ((globalThis.isFirst = context.attempt === 1), graph());
  `;
  const agent_id = await makeAgent(url, await bundleAgent(source), { adapter_type: "node" });
  // The run begins at the one that is killed.
  await everyday?.stop();
  const member = await stack.start("worker", { WORKER_SLOTS: "1" });
  const reading = run(agent_id, { ran: ["in"] });
  const kept = () => stack.sql.query<{ checkpoint_id: string }>("SELECT checkpoint_id FROM run_checkpoints");
  // The checkpoint after the first node, and what the fast node has written beside the slow one. Its id says the step.
  const afterStep1 = "-8001-";
  const isReached = ({ checkpoint_id }: { checkpoint_id: string }) => checkpoint_id.includes(afterStep1);
  await waitFor(async () => (await kept()).rows.filter(isReached).length === 2, 20_000);
  await member.stop("SIGKILL");
  await stack.lapse(member);
  await stack.start("worker", { WORKER_SLOTS: "12" });
  const all = [...(await reading)];
  const id = String(all[0]?.data["run_id"]);
  for (const question of ["first?", '{"second":true}']) {
    const asked = all.at(-1)?.data["interrupts"] as { id: string; message: string }[];
    expect(asked).toMatchObject([{ message: question }]);
    await answerRun(url, id, { interrupt_id: asked[0]?.id, response: question.length });
    all.push(...(await readEvents(await resume(url, id, all.at(-1)?.id))));
  }
  expect(all.at(-1)).toMatchObject({ event: "run.success" });
  const result = all.at(-1)?.data["result_content"] as { ran: unknown[] } | undefined;
  expect(result?.ran.slice(-4)).toEqual([6, 15, "human", 2]);
  expect(shownOf(all).split("\n").filter(Boolean)).toEqual(["one", "fast", "slow", "inside"]);
  expect(shownOf(await readEvents(await resume(url, id)))).toBe(shownOf(all));
}, 60_000);
