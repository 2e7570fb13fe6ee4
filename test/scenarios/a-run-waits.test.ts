import { expect, test } from "vitest";
import { answerRun, call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";
import { resultOf, shownOf, waitingRuns } from "../harness/waiting-runs.ts";

const stack = await useTestStack();
const { url } = await stack.openApi({ PUBLIC_URL: "" });
await stack.openWorker({ WORKER_SLOTS: "8" });
const { begin, signal, told } = waitingRuns(url);

const waiting = {
  python: py`
    from runfleet import SignalTimeout

    def main(input, context):
        context.sleep(0.05)
        first = context.wait_for("go")
        both = context.wait_for(["left", "right"])
        try:
            context.wait_for("never", timeout=0.05)
        except SignalTimeout as error:
            late = str(error)
        return {"first": first, "both": both, "late": late}
  `,
  node: `
    import { SignalTimeout, sleep } from "runfleet";
    export async function main(input, context) {
      await sleep(0.05);
      const first = await context.waitFor("go");
      const both = await context.waitFor(["left", "right"]);
      const late = await context.waitFor("never", { timeout: 0.05 }).catch((error) => {
        if (!(error instanceof SignalTimeout)) throw error;
        return error.message;
      });
      return { first, both, late };
    }
  `,
};

test.each(["python", "node"] as const)(
  "%s: signals that come early, late, twice and for nobody",
  async (adapter_type) => {
    const agent_id = await makeAgent(url, waiting[adapter_type], { adapter_type });
    const { run_id, events } = await begin(agent_id);
    const go = { payload: { $rf: "bytes", n: 2 ** 53 }, id: "evt_1" };
    expect((await signal(run_id, "right", { payload: [1, null] })).status).toBe(202);
    expect((await signal(run_id, "go", go)).body).toMatchObject({ repeated: false });
    expect((await signal(run_id, "go", go)).body).toMatchObject({ repeated: true });
    await signal(run_id, "go", { payload: "second" });
    const all = await events;
    expect(resultOf(all)).toEqual({
      first: go.payload,
      both: { name: "right", payload: [1, null] },
      late: "No signal 'never' came within 0.05 s.",
    });
    const waits = all
      .filter(({ event }) => event.startsWith("wait."))
      .map(({ event, data }) => [event, data["by"] ?? data["kind"]]);
    expect(waits).toEqual([
      ["wait.opened", "timer"],
      ["wait.ended", "timer"],
      ["wait.opened", "signal"],
      ["wait.ended", "signal"],
      ["wait.opened", "signal"],
      ["wait.ended", "signal"],
      ["wait.opened", "signal"],
      ["wait.ended", "timeout"],
    ]);
    const untaken = await call(url, "GET", `/v1/runs/${run_id}/inputs?untaken=true`);
    expect(untaken.body).toMatchObject({ data: [{ name: "go", taken: false }], has_more: false });
    expect(await signal(run_id, "go")).toMatchObject({ status: 409, body: { code: "run_ended" } });
  },
);

test("asyncio: a race has the same winner on every attempt, and a wait that was given up gives its signal back", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import asyncio
      from runfleet import context

      async def main(input):
          lost = context.wait_for("one")
          won = context.wait_for("two")
          done, _ = await asyncio.wait([lost, won], return_when=asyncio.FIRST_COMPLETED)
          lost.cancel()
          kept = await context.step("kept", lambda: [future is won for future in done])
          tick = context.sleep(3600)
          tick.cancel()
          later = await context.wait_for("one", timeout=20)
          return {"kept": kept, "won": await won, "later": later}
    `,
  );
  const { run_id, events } = await begin(agent_id);
  await told(run_id, "wait.opened", 2);
  await signal(run_id, "two", { payload: 2 });
  await signal(run_id, "one", { payload: 1 });
  const all = await events;
  expect(resultOf(all)).toEqual({ kept: [true], won: 2, later: 1 });
});

test("asyncio: what a wait has taken that the code's last words give up is listed as untaken", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      from runfleet import context

      async def main(input):
          await context.wait_for("go")
          context.wait_for("note").cancel()
          return {}
    `,
  );
  const { run_id, events } = await begin(agent_id);
  await signal(run_id, "note");
  await signal(run_id, "go");
  expect(resultOf(await events)).toEqual({});
  const untaken = await call(url, "GET", `/v1/runs/${run_id}/inputs?untaken=true`);
  expect(untaken.body).toMatchObject({ data: [{ name: "note", taken: false }], has_more: false });
});

/** The end of each is held up when its function has returned. */
const leaving = {
  python: py`
    import atexit, time
    from runfleet import context

    async def main(input):
        context.wait_for("go")
        await context.wait_for("stop")
        atexit.register(time.sleep, 600)
        return {}
  `,
  node: `
    export async function main(input, context) {
      void context.waitFor("go");
      await context.waitFor("stop");
      return { toJSON: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600_000) };
    }
  `,
};

test.each(["python", "node"] as const)(
  "%s: a wait that is left open when the agent's function returns takes no signal any more",
  async (adapter_type) => {
    const agent_id = await makeAgent(url, leaving[adapter_type], { adapter_type, stop_grace_ms: 100 });
    const { run_id, events } = await begin(agent_id);
    await signal(run_id, "stop");
    await waitFor(async () => {
      const { body } = await call(url, "GET", `/v1/runs/${run_id}/steps`);
      return (body["data"] as { state: string }[]).some(({ state }) => state === "given_up");
    }, 20_000);
    expect((await signal(run_id, "go")).status).toBe(202);
    const untaken = await call(url, "GET", `/v1/runs/${run_id}/inputs?untaken=true`);
    expect(untaken.body).toMatchObject({ data: [{ name: "go", taken: false }] });
    await call(url, "POST", `/v1/runs/${run_id}/cancel`);
    expect((await events).at(-1)?.event).toBe("run.cancelled");
  },
);

const legs = {
  python: py`
    from runfleet import context

    async def main(input):
        n, ids, heard = input.get("n", 0), input.get("ids", []), input.get("heard", [])
        print(f"leg {n}. ", end="")
        ids = [*ids, context.uuid(), await context.step("once", lambda step: step.idempotency_key, key="k")]
        heard = [*heard, context.interrupt("Go on?"), await context.wait_for("go")]
        if n < 1:
            context.wait_for("go")
            context.continue_as({"n": n + 1, "ids": ids, "heard": heard})
        return {"ids": ids, "heard": heard}
  `,
  node: `
    export async function main({ n = 0, ids = [], heard = [] }, context) {
      process.stdout.write(\`leg \${n}. \`);
      ids = [...ids, context.uuid(), await context.step("once", (step) => step.idempotencyKey, { key: "k" })];
      heard = [...heard, context.interrupt("Go on?"), await context.waitFor("go")];
      try {
        if (n < 1) {
          void context.waitFor("go");
          context.continueAs({ n: n + 1, ids, heard });
        }
      } catch {}
      return { ids, heard };
    }
  `,
};

test.each(["python", "node"] as const)(
  "%s: a run goes on as a fresh one, with another input and an empty journal, and what it has said stands",
  async (adapter_type) => {
    const agent_id = await makeAgent(url, legs[adapter_type], { adapter_type });
    const { run_id, events } = await begin(agent_id);
    const all = [...(await events)];
    for (const answer of ["a", "b"]) {
      expect(all.at(-1)?.event).toBe("run.interrupted");
      await signal(run_id, "go", { payload: answer.toUpperCase() });
      await answerRun(url, run_id, { response: answer });
      all.push(...(await readEvents(await resume(url, run_id, all.at(-1)?.id))));
    }
    const { ids, heard } = resultOf(all) as { ids: string[]; heard: unknown[] };
    expect(heard).toEqual(["a", "A", "b", "B"]);
    expect(new Set(ids).size).toBe(4);
    expect(shownOf(all)).toBe("leg 0. leg 1. ");
    const continued = all.find(({ data }) => data["reason"] === "continued");
    expect(continued).toMatchObject({ id: "3-1", event: "run.started", data: { voids: [] } });
    const { body } = await call(url, "GET", `/v1/runs/${run_id}/steps`);
    const steps = body["data"] as { attempt: number; kind: string }[];
    expect(steps.filter(({ kind }) => kind !== "question").map(({ attempt }) => attempt)).toEqual([3, 4]);
    expect((await call(url, "GET", `/v1/runs/${run_id}`)).body).toMatchObject({ input_payload: {}, status: "success" });
    expect((await call(url, "GET", `/v1/runs/${run_id}/journal`)).body).toMatchObject({
      continued: { leg: "+2", input_payload: { n: 1, heard: ["a", "A"] } },
      answers: ["b"],
    });
  },
);

test("a run that failed after it had gone on as a fresh one is run again from there, and its first answer counts", async () => {
  const source = (work: string) => py`
    from runfleet import context

    def main(input):
        if "n" not in input:
            context.continue_as({"n": context.interrupt("How many?")})
        context.step("work", lambda: ${work})
        return {"n": input["n"], "heard": context.interrupt("Go on?")}
  `;
  const agent_id = await makeAgent(url, source("1 / 0"));
  const { run_id, events } = await begin(agent_id);
  expect((await events).at(-1)?.event).toBe("run.interrupted");
  await answerRun(url, run_id, { response: 3 });
  expect((await readEvents(await resume(url, run_id))).at(-1)?.event).toBe("run.error");
  expect((await call(url, "POST", `/v1/versions/${agent_id}`, { config: { source: source("1") } })).status).toBe(201);
  const again = await call(url, "POST", `/v1/runs/${run_id}/replay`, { from: "failed", version: "latest" });
  const next = String(again.body["id"]);
  const asked = await readEvents(await fetch(`${url}/v1/runs/${next}/stream`));
  expect(asked.at(-1)?.event).toBe("run.interrupted");
  await answerRun(url, next, { response: "yes" });
  const answered = await readEvents(await resume(url, next, asked.at(-1)?.id));
  expect(resultOf(answered)).toEqual({ n: 3, heard: "yes" });
});

test("a run can't go on with an input that its agent doesn't take, nor inside of a step", async () => {
  const source = py`
    from runfleet import context

    def main(input):
        try:
            context.step("inner", lambda: context.continue_as())
        except Exception as error:
            context.continue_as({"n": str(error)})
  `;
  const input_schema = { type: "object", properties: { n: { type: "integer" } } };
  const { events } = await begin(await makeAgent(url, source, { input_schema }), { n: 1 });
  expect(resultOf(await events)).toMatchObject({
    code: "invalid_input",
    message: expect.stringMatching(/^The input of continue_as\(\) breaks .* input_payload\.n: .*integer/),
  });
});

test("a signed address sends one signal, for a time, and can't be changed", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      from runfleet import context

      def main(input):
          context.emit("urls", [context.signal_url("paid"), context.signal_url("paid", expires_in=1)])
          context.sleep(1.2)
          return [context.wait_for("paid"), context.wait_for("paid")]
    `,
  );
  const body = { agent_id, version: "current" };
  const events = await readEvents(await execute(url, body), ({ event }) => event === "wait.ended");
  const [address = "", brief = ""] = (events.find(({ event }) => event === "custom")?.data["value"] ?? []) as string[];
  const post = (path: string, init: RequestInit) => fetch(`${url}${path}`, { method: "POST", ...init });
  const json = { "content-type": "application/json" };
  expect((await post(brief, { body: "1", headers: json })).status).toBe(404);
  const last = address.at(-5) === "A" ? "B" : "A";
  expect((await post(`${address.slice(0, -5)}${last}${address.slice(-4)}`, {})).status).toBe(404);
  expect((await fetch(`${url}${address}`)).status).toBe(405);
  expect((await post(address, { body: "x".repeat(300_000) })).status).toBe(413);
  expect((await post(address, { body: "{", headers: json })).status).toBe(422);
  const once = { body: JSON.stringify({ amount: 3 }), headers: { ...json, "idempotency-key": "a" } };
  expect((await post(address, once)).status).toBe(202);
  expect(await (await post(address, once)).json()).toMatchObject({ repeated: true });
  expect((await post(address, { body: new URLSearchParams({ by: "form" }) })).status).toBe(202);
  const run_id = String(events[0]?.data["run_id"]);
  const rest = await readEvents(await fetch(`${url}/v1/runs/${run_id}/stream`));
  expect(resultOf(rest)).toEqual({ output: [{ amount: 3 }, { by: "form" }] });
  expect(await (await post(address, once)).json()).toMatchObject({ repeated: true });
  expect((await post(address, { body: "1", headers: json })).status).toBe(409);
});

test("bad signals and bad waits are refused, naming the place", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      from runfleet import context
      import datetime

      def tried(call, *args, **options):
          try:
              call(*args, **options)
          except Exception as error:
              return f"{type(error).__name__}: {error}"

      def main(input):
          return [
              tried(context.sleep, "soon"), tried(context.sleep, float("nan")), tried(context.sleep, 1e12),
              tried(context.sleep_until, datetime.datetime(2030, 1, 1)), tried(context.wait_for, "a b"),
              tried(context.wait_for, []), tried(context.step, "s", lambda: context.sleep(1)), context.wait_for("end"),
          ]
    `,
  );
  const { run_id, events } = await begin(agent_id);
  expect((await signal(run_id, "a%20b")).status).toBe(422);
  expect((await signal(run_id, "end", { payload: "x".repeat(300_000) })).body).toMatchObject({
    detail: [{ loc: ["body", "payload"], msg: expect.stringMatching(/at most 262144 bytes/) }],
  });
  expect((await signal(run_id, "end", { id: "not an id" })).status).toBe(422);
  expect((await signal("run_nobody", "end")).status).toBe(404);
  await signal(run_id, "end", { payload: null });
  const output = (resultOf(await events) as { output: unknown[] }).output;
  expect(output).toEqual([
    expect.stringMatching(/^TypeError: sleep\(\) takes seconds/),
    expect.stringMatching(/^TypeError: sleep\(\) takes seconds/),
    expect.stringMatching(/^ValueError: sleep\(\) takes at most/),
    expect.stringMatching(/^ValueError: sleep_until\(\) takes a datetime with a time zone/),
    expect.stringMatching(/^ValueError: A signal's name is/),
    expect.stringMatching(/^ValueError: wait_for\(\) takes 1 to 16 names/),
    expect.stringMatching(/^DurableCallInStep: wait 'sleep' was called inside of step 's'/),
    null,
  ]);
});
