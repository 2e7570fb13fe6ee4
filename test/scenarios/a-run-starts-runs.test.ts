import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, type SentEvent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.openApi({ PUBLIC_URL: "" });
await stack.openWorker({ WORKER_SLOTS: "8" });

async function begin(agent_id: string, input_payload: Record<string, unknown> = {}) {
  const response = await execute(url, { agent_id, version: "current", input_payload });
  const run_id = response.headers.get("x-run-id") ?? "";
  return { run_id, events: readEvents(response) };
}

const signal = (run_id: string, name: string, body: unknown = {}) =>
  call(url, "POST", `/v1/runs/${run_id}/signals/${name}`, body);
const told = (run_id: string, type: string) =>
  fetch(`${url}/v1/runs/${run_id}/stream`).then((response) => readEvents(response, ({ event }) => event === type));
const resultOf = (events: readonly SentEvent[]) =>
  events.at(-1)?.data["result_content"] ?? events.at(-1)?.data["error"] ?? null;
const column = async <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  (await stack.sql.query<{ it: T }>(sql, values)).rows.map(({ it }) => it);
async function until<T>(read: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isSo(value)) return value;
    await sleep(20);
  }
}

/** Answers with what it was given, once it may. */
const worker = await makeAgent(
  url,
  py`
    from runfleet import context
    def main(input, context):
        if input.get("fails"):
            raise ValueError(input["fails"])
        if input.get("waits"):
            context.wait_for(input["waits"])
        context.usage(input_tokens=10, output_tokens=1)
        return {"n": input.get("n")}
  `,
);

const starting = {
  python: py`
    from runfleet import ChildFailed, context

    def tried(call, *args, **options):
        try:
            return call(*args, **options)
        except ChildFailed as error:
            return {"status": error.status, "code": error.code, "message": str(error), "ran": error.run_id is not None}

    def main(input):
        agent = input["agent"]
        one = context.run_agent(agent, {"n": 1})
        failed = tried(context.run_agent, agent, {"fails": "no luck"})
        unknown = tried(context.run_agent, "nobody", {})
        many = context.map(agent, [{"n": n} for n in range(4)], concurrency=2)
        mixed = context.map(agent, [{"n": 1}, {"fails": "mixed"}], return_errors=True)
        first = tried(context.map, agent, [{"n": 1}, {"fails": "first"}, {"fails": "second"}])
        return {
            "one": one["n"], "failed": failed, "unknown": unknown,
            "many": [result["n"] for result in many], "mixed": [mixed[0]["n"], mixed[1].status],
            "first": first["message"].split(": ")[-1], "none": context.map(agent, []),
        }
  `,
  node: `
    import { ChildFailed } from "runfleet";
    const tried = (call) => call.catch((error) => {
      if (!(error instanceof ChildFailed)) throw error;
      return { status: error.status, code: error.code, message: error.message, ran: error.run_id !== null };
    });
    export async function main({ agent }, context) {
      const one = await context.runAgent(agent, { n: 1 });
      const failed = await tried(context.runAgent(agent, { fails: "no luck" }));
      const unknown = await tried(context.runAgent("nobody"));
      const many = await context.map(agent, [0, 1, 2, 3].map((n) => ({ n })), { concurrency: 2 });
      const mixed = await context.map(agent, [{ n: 1 }, { fails: "mixed" }], { return_errors: true });
      const first = await tried(context.map(agent, [{ n: 1 }, { fails: "first" }, { fails: "second" }]));
      return {
        one: one.n, failed, unknown,
        many: many.map(({ n }) => n), mixed: [mixed[0].n, mixed[1].status],
        first: first.message.split(": ").at(-1), none: await context.map(agent, []),
      };
    }
  `,
};

test.each(["python", "node"] as const)(
  "%s: a run starts others, waits for their results and catches their errors",
  async (adapter_type) => {
    const agent_id = await makeAgent(url, starting[adapter_type], { adapter_type });
    const { run_id, events } = await begin(agent_id, { agent: worker });
    const all = await events;
    expect(resultOf(all)).toEqual({
      one: 1,
      failed: {
        status: "error",
        code: "agent_error",
        message: expect.stringMatching(/agent_error: .*no luck/),
        ran: true,
      },
      unknown: { status: "refused", code: "agent_not_found", message: expect.stringMatching(/nobody/), ran: false },
      many: [0, 1, 2, 3],
      mixed: [1, "error"],
      first: "first",
      none: [],
    });
    const started = all.filter(({ event }) => event === "child.started");
    expect(started).toHaveLength(2 + 4 + 2 + 3);
    const tree = await call(url, "GET", `/v1/runs/${run_id}/tree`);
    expect(tree.body).toMatchObject({ root_run_id: run_id, runs: 12, has_more: false });
    const children = await call(url, "GET", `/v1/runs?parent_run_id=${run_id}&limit=100`);
    expect(children.body).toMatchObject({ data: { length: 11 } });
    const [first] = (children.body as { data: Record<string, unknown>[] }).data;
    expect(first).toMatchObject({ origin: "run", parent_run_id: run_id, root_run_id: run_id, detached: false });
  },
);

test("a run that is deleted as soon as it has ended ends the runs that it has started", async () => {
  const parent = await makeAgent(
    url,
    py`
      def main(input, context):
          context.run_agent(input["agent"], {"waits": "never"})
    `,
  );
  // A worker looks each second for what an end has left: some of these ends are deleted before it looks.
  for (let n = 0; n < 3; n += 1) {
    const { run_id } = await begin(parent, { agent: worker });
    const childOf = () => column<string>("SELECT id AS it FROM runs WHERE parent_run_id = $1", run_id);
    const [child = ""] = await until(childOf, (ids) => ids.length > 0);
    expect((await call(url, "POST", `/v1/runs/${run_id}/complete`, { status: "success" })).status).toBe(200);
    expect((await call(url, "DELETE", `/v1/runs/${run_id}`)).status).toBe(204);
    const [asked] = await column<boolean>(
      "SELECT cancel_requested_at IS NOT NULL OR completed_at IS NOT NULL AS it FROM runs WHERE id = $1",
      child,
    );
    expect(asked).toBe(true);
    await until(
      () => column<string>("SELECT status AS it FROM runs WHERE id = $1", child),
      ([is]) => is === "cancelled",
    );
  }
});

const maps = {
  asyncio: py`
    import asyncio
    from runfleet import context

    async def branch(n):
        return (await context.run_agent("{worker}", {"n": n, "waits": "go"}))["n"]

    async def main(input):
        many, one, two = await asyncio.gather(
            context.map("{worker}", [{"n": n, "waits": "go"} for n in range(3)]), branch(3), branch(4)
        )
        return {"sum": sum(result["n"] for result in many) + one + two, "attempt": context.attempt}
  `,
  plain: py`
    from runfleet import context

    def main(input):
        many = context.map("{worker}", [{"n": n, "waits": "go"} for n in range(5)])
        return {"sum": sum(result["n"] for result in many), "attempt": context.attempt}
  `,
  threads: py`
    from concurrent.futures import ThreadPoolExecutor
    from runfleet import context

    def main(input):
        def branch(n):
            return context.map("{worker}", [{"n": m, "waits": "go"} for m in n])
        with ThreadPoolExecutor(3) as pool:
            many = [result["n"] for results in pool.map(branch, [[0, 1], [2, 3], [4]]) for result in results]
        return {"sum": sum(many), "attempt": context.attempt}
  `,
  node: `
    export async function main(input, context) {
      const inputs = Array.from({ length: 5 }, (_, n) => ({ n, waits: "go" }));
      const many = await context.map("{worker}", inputs);
      return { sum: many.reduce((sum, { n }) => sum + n, 0), attempt: context.attempt };
    }
  `,
};

test("a run that waits for others is a row, is woken once, and the tree's usage is the sum", async () => {
  const runs = await Promise.all(
    Object.entries(maps).map(async ([name, source]) => {
      const adapter_type = name === "node" ? "node" : "python";
      const agent_id = await makeAgent(url, source.replaceAll("{worker}", worker), { adapter_type });
      return { name, ...(await begin(agent_id)) };
    }),
  );
  for (const { run_id, events, name } of runs) {
    await told(run_id, "run.suspended");
    const below = "SELECT id AS it FROM runs WHERE parent_run_id = $1 AND status = 'suspended'";
    const children = await until(
      () => column<string>(below, run_id),
      ({ length }) => length === 5,
    );
    await Promise.all(children.map((id) => signal(id, "go")));
    const all = await events;
    const suspended = all.filter(({ event }) => event === "run.suspended");
    expect(suspended[0]?.data["waits"]).toContainEqual(expect.objectContaining({ kind: "child" }));
    const result = resultOf(all) as { sum: number; attempt: number };
    expect(result.sum).toBe(10);
    // Branches can go on by themselves: each of them wakes the run.
    expect(result.attempt).toBeLessThanOrEqual({ asyncio: 4, threads: 4 }[name] ?? 2);
    expect(all.filter(({ event }) => event === "child.started")).toHaveLength(5);
    expect(
      new Set(all.filter(({ event }) => event === "child.ended").map(({ data }) => data["child_run_id"])).size,
    ).toBe(5);
    const tree = await call(url, "GET", `/v1/runs/${run_id}/tree`);
    expect(tree.body).toMatchObject({
      runs: 6,
      by_status: { success: 6 },
      usage: { input_tokens: 50, output_tokens: 5 },
    });
  }
}, 60_000);

test("a cancel goes down the tree, but not to detached runs; what the code gives up is cancelled", async () => {
  const middle = await makeAgent(
    url,
    py`
      from runfleet import context
      def main(input):
          context.start_agent(input["agent"], {"n": 1, "waits": "go"})
          return context.run_agent(input["agent"], {"n": 2, "waits": "go"})
    `,
  );
  const top = await makeAgent(
    url,
    py`
      import asyncio
      from runfleet import context
      async def main(input):
          context.run_agent(input["agent"], {"n": 4, "waits": "go"}, key="at once").cancel()
          lost = context.run_agent(input["agent"], {"n": 3, "waits": "go"}, key="lost")
          await context.sleep(0.2)
          lost.cancel()
          await context.map(input["middle"], [{"agent": input["agent"]}] * 2)
    `,
  );
  const { run_id, events } = await begin(top, { middle, agent: worker });
  const open = "SELECT id AS it FROM runs WHERE root_run_id = $1 AND detached = $2 AND status <> 'cancelled'";
  const leaf = "SELECT id AS it FROM runs WHERE root_run_id = $1 AND depth = 2 AND status = 'suspended'";
  await until(
    () => column(leaf, run_id),
    ({ length }) => length === 4,
  );
  await until(
    () => column(open, run_id, false),
    ({ length }) => length === 4,
  );
  expect((await call(url, "POST", `/v1/runs/${run_id}/cancel`)).status).toBeLessThan(300);
  expect(
    await column(
      `SELECT id AS it FROM runs WHERE root_run_id = $1 AND NOT detached AND cancel_requested_at IS NULL
    AND status NOT IN ('cancelled')`,
      run_id,
    ),
  ).toEqual([]);
  expect((await events).at(-1)?.event).toBe("run.cancelled");
  await until(
    () => column(open, run_id, false),
    ({ length }) => length === 0,
  );
  const detached = await column<string>(open, run_id, true);
  expect(detached).toHaveLength(2);
  for (const id of detached) {
    const going = fetch(`${url}/v1/runs/${id}/stream`).then((response) => readEvents(response));
    await signal(id, "go");
    expect(resultOf(await going)).toEqual({ n: 1 });
  }
});

test("a tree goes down so far, and a failed run is started anew when its parent is tried again", async () => {
  const nested = await makeAgent(
    url,
    py`
      from runfleet import ChildFailed, context
      def main(input):
          try:
              return context.run_agent(context.agent_id, {})
          except ChildFailed as error:
              return {"code": error.code, "status": error.status}
    `,
  );
  const tried = await makeAgent(
    url,
    py`
      from runfleet import context
      def main(input):
          context.keep_warm()  # Only the retry begins another attempt.
          first = context.run_agent(input["agent"], {"n": 1})
          return {"first": first["n"], "second": context.run_agent(input["agent"], {"fails": "once"} if context.attempt == 1 else {"n": 2})["n"]}
    `,
    { retry: { max_attempts: 2, delay_ms: 10 } },
  );
  const [deep, again] = await Promise.all([begin(nested), begin(tried, { agent: worker })]);
  expect(resultOf(await deep.events)).toEqual({ code: "too_deep", status: "refused" });
  expect(await column("SELECT max(depth) AS it FROM runs WHERE root_run_id = $1", deep.run_id)).toEqual([8]);
  expect(resultOf(await again.events)).toEqual({ first: 1, second: 2 });
  expect(
    await column("SELECT status AS it FROM runs WHERE parent_run_id = $1 ORDER BY created_at", again.run_id),
  ).toEqual(["success", "error", "success"]);
});

const retried = {
  python: py`
    import asyncio
    from runfleet import context
    def inputs():
        return [{"n": 0}, {"fails": "once"} if context.attempt == 1 else {"n": 1}, {"n": 2}]
    async def main(input):
        if input.get("maps"):
            return {"map": [result["n"] for result in await context.map(input["agent"], inputs())]}
        slow = lambda: context.run_agent(input["agent"], {"n": 2, "waits": "go"})
        first = context.run_agent(input["agent"], inputs()[1])
        if not input.get("follows"):
            return {"gather": [result["n"] for result in await asyncio.gather(first, slow())]}
        try:
            await first
        finally:
            second = slow()
        return {"gather": [(await first)["n"], (await second)["n"]]}
  `,
  node: `
    export async function main({ agent, maps }, context) {
      const inputs = [{ n: 0 }, context.attempt === 1 ? { fails: "once" } : { n: 1 }, { n: 2 }];
      if (maps) return { map: (await context.map(agent, inputs)).map(({ n }) => n) };
      const both = [context.runAgent(agent, inputs[1]), context.runAgent(agent, { n: 2, waits: "go" })];
      return { gather: (await Promise.all(both)).map(({ n }) => n) };
    }`,
};

test.each(["python", "node"] as const)(
  "%s: a retry starts the failed run anew, keeps what the others of a map have come to, and leaves none without a reader",
  async (adapter_type) => {
    const config = { adapter_type, retry: { max_attempts: 2, delay_ms: 10 } };
    const agent_id = await makeAgent(url, retried[adapter_type], config);
    const mapped = await begin(agent_id, { agent: worker, maps: true });
    expect(resultOf(await mapped.events)).toEqual({ map: [0, 1, 2] });
    const statuses = "SELECT status::text AS it FROM runs WHERE parent_run_id = $1 ORDER BY 1";
    expect(await column(statuses, mapped.run_id)).toEqual(["error", "success", "success", "success"]);

    const play = async (more: object, ends: readonly string[]): Promise<void> => {
      const both = await begin(agent_id, { agent: worker, ...more });
      await until(
        () => column(statuses, both.run_id),
        (all) => all.join() === ends.join(),
      );
      const waiting = "SELECT id AS it FROM runs WHERE parent_run_id = $1 AND status = 'suspended'";
      const [id = ""] = await column<string>(waiting, both.run_id);
      await signal(id, "go");
      expect(resultOf(await both.events)).toEqual({ gather: [1, 2] });
    };
    await play({}, ["error", "success", "suspended"]);
    // What was begun behind the failed one is begun anew, and nobody reads the first any more.
    if (adapter_type === "python") await play({ follows: true }, ["cancelled", "error", "success", "suspended"]);
  },
);

test("a run starts others on the versions that were current when it was accepted", async () => {
  const versioned = await makeAgent(url, "def main(input): return {'version': 1}");
  const agent_id = await makeAgent(
    url,
    py`
      from runfleet import context
      def main(input):
          context.wait_for("go")
          agent = input["agent"]
          return [context.run_agent(agent, version=name)["version"] for name in ("current", "latest", "2.0.0")]
    `,
  );
  const { run_id, events } = await begin(agent_id, { agent: versioned });
  await told(run_id, "wait.opened");
  const config = { adapter_type: "python", source: "def main(input): return {'version': 2}" };
  const published = await call(url, "POST", "/v1/agents", {
    ...{ id: versioned, user_id: "tester", name: "agent", version: "2.0.0", config },
  });
  expect(published.status).toBeLessThan(300);
  const upgraded = await call(url, "POST", "/v1/upgrade", { agent_id: versioned, version: "2.0.0" });
  expect(upgraded.status).toBeLessThan(300);
  await signal(run_id, "go");
  expect(resultOf(await events)).toEqual({ output: [1, 1, 2] });
});
