import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { call, makeAgent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { resultOf, shownOf, waitingRuns } from "../harness/waiting-runs.ts";

const stack = await useTestStack();
const { url } = await stack.openApi({ PUBLIC_URL: "" });
const worker = await stack.openWorker({ WORKER_SLOTS: "8" });
const { begin, signal, told } = waitingRuns(url);

const naps = {
  python: py`
    from runfleet import context
    def main(input):
        print("before. ", end="")
        first = context.step("first", lambda: 7)
        paid = context.wait_for("paid")
        print("after. ", end="")
        context.sleep(2)
        return {"first": first, "paid": paid, "attempt": context.attempt}
  `,
  node: `
    export async function main(input, context) {
      process.stdout.write("before. ");
      const first = await context.step("first", () => 7);
      const paid = await context.waitFor("paid");
      process.stdout.write("after. ");
      await context.sleep(2);
      return { first, paid, attempt: context.attempt };
    }
  `,
};

test.each(["python", "node"] as const)(
  "%s: a run that only waits is a row, and goes on where it was",
  async (adapter_type) => {
    const agent_id = await makeAgent(url, naps[adapter_type], { adapter_type, concurrency: 1 });
    const { run_id, events } = await begin(agent_id);
    const first = await told(run_id, "run.suspended", 1);
    expect(first.at(-1)?.data).toMatchObject({ waits: [{ kind: "signal", name: "wait_for paid", until: null }] });
    const record = await call(url, "GET", `/v1/runs/${run_id}`);
    expect(record.body).toMatchObject({ status: "suspended", worker_id: null });
    expect((await call(url, "GET", "/v1/runs?status=suspended")).body).toMatchObject({ data: [{ id: run_id }] });
    // The agent's only place is free.
    const other = await begin(agent_id);
    await told(other.run_id, "run.suspended", 1);
    await signal(other.run_id, "paid", { payload: 2 });
    await signal(run_id, "paid", { payload: 1 });
    const all = await events;
    expect(resultOf(all)).toEqual({ first: 7, paid: 1, attempt: 3 });
    expect(resultOf(await other.events)).toMatchObject({ first: 7, paid: 2 });
    expect(shownOf(all)).toBe("before. after. ");
    expect(all.filter(({ event }) => event === "step.start")).toHaveLength(1);
    const ends = all.filter(({ event }) => event === "wait.ended").map(({ data }) => data["by"]);
    expect(ends).toEqual(["signal", "timer"]);
    const { rows } = await stack.sql.query(
      "SELECT lost_attempts, failed_attempts, (SELECT json_agg(reason ORDER BY seq) FROM run_transitions WHERE run_id = runs.id) AS reasons FROM runs WHERE id = $1",
      [run_id],
    );
    expect(rows[0]).toMatchObject({ lost_attempts: 0, failed_attempts: 0 });
    expect(rows[0].reasons).toEqual(expect.arrayContaining(["signal", "timer"]));
    expect((await stack.sql.query("SELECT 1 FROM run_waits WHERE run_id = $1", [run_id])).rowCount).toBe(0);
  },
);

test("Node: a wait that AbortSignal.timeout gives up keeps the process, and ends in time", async () => {
  const agent_id = await makeAgent(
    url,
    `
      const given = (wait) => wait.then(() => "came", (error) => error.name);
      export async function main(input, context) {
        const none = given(context.waitFor("none", { signal: AbortSignal.timeout(2_500) }));
        const any = AbortSignal.any([new AbortController().signal, AbortSignal.timeout(2_000)]);
        return { ended: [await given(context.waitFor("never", { signal: any })), await none], attempt: context.attempt };
      }
    `,
    { adapter_type: "node" },
  );
  const { events } = await begin(agent_id);
  const all = await events;
  expect(resultOf(all)).toEqual({ ended: ["TimeoutError", "TimeoutError"], attempt: 1 });
  expect(all.filter(({ event }) => event === "run.suspended")).toEqual([]);
});

test("signals that come while the process is let go are taken once", async () => {
  const agent_id = await makeAgent(
    url,
    "from runfleet import context\ndef main(input): return {'got': context.wait_for('go')}",
  );
  const runs = await Promise.all(Array.from({ length: 16 }, () => begin(agent_id)));
  await Promise.all(
    runs.map(async ({ run_id }, n) => {
      await told(run_id, "wait.opened", 1);
      // An idle process is let go after a second.
      await sleep(985 + n * 4);
      expect((await signal(run_id, "go", { payload: n })).status).toBe(202);
    }),
  );
  const results = await Promise.all(runs.map(async ({ events }) => resultOf(await events)));
  expect(results).toEqual(runs.map((_, n) => ({ got: n })));
});

test("code that imports a durable call by its name has it, however it is called", async () => {
  const python = await makeAgent(
    url,
    py`
      from runfleet import (
          sleep as nap,
          signal_url,
      )
      def main(input):
          nap(0.01)
          return {"url": signal_url("go")[:8]}
    `,
  );
  const node = await makeAgent(
    url,
    `
      import { sleep as nap, signalUrl } from "runfleet";
      export async function main() {
        await nap(0.01);
        return { url: (await signalUrl("go")).slice(0, 8) };
      }
    `,
    { adapter_type: "node" },
  );
  const runs = await Promise.all([begin(python), begin(node)]);
  for (const { events } of runs) expect(resultOf(await events)).toEqual({ url: "/signal/" });
});

test("a process that is to stay warm is not let go", async () => {
  const python = await makeAgent(
    url,
    py`
      import os
      from runfleet import context
      def main(input):
          loaded = os.getpid()
          context.keep_warm()
          context.sleep(2.2)
          return {"same": loaded == os.getpid(), "attempt": context.attempt}
    `,
  );
  const node = await makeAgent(
    url,
    `
      import { keepWarm, sleep } from "runfleet";
      export async function main(input, context) {
        const loaded = Math.random();
        globalThis.loaded = loaded;
        keepWarm();
        await sleep(2.2);
        return { same: globalThis.loaded === loaded, attempt: context.attempt };
      }
    `,
    { adapter_type: "node" },
  );
  const runs = await Promise.all([begin(python), begin(node)]);
  for (const { events } of runs) expect(resultOf(await events)).toEqual({ same: true, attempt: 1 });
});

test("what goes on beside a wait keeps the process, and a step's delay doesn't", async () => {
  const busy = await makeAgent(
    url,
    py`
      import asyncio
      from runfleet import context
      async def main(input):
          tick = context.sleep(60)
          await asyncio.sleep(2)
          tick.cancel()
          return {"attempt": context.attempt}
    `,
  );
  const delayed = await makeAgent(
    url,
    py`
      from runfleet import context
      def flaky(step):
          if step.number == 1:
              raise ValueError("not yet")
          return step.number
      def main(input):
          number = context.step("flaky", flaky, retry={"max_attempts": 2, "delay_ms": 2500})
          return {"attempt": context.attempt, "number": number}
    `,
  );
  const [stayed, left] = await Promise.all([begin(busy), begin(delayed)]);
  expect(resultOf(await stayed.events)).toEqual({ attempt: 1 });
  expect(resultOf(await left.events)).toEqual({ attempt: 2, number: 2 });
});

test("asyncio: branches that wait are a row, and a cancelled one leaves nothing behind", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import asyncio
      from runfleet import context
      async def branch(name):
          yes = await context.wait_for(name)
          return await context.step("kept", lambda: [name, yes])
      async def main(input):
          async with asyncio.TaskGroup() as group:
              tasks = [group.create_task(branch(name)) for name in ("a", "b")]
          return {"all": [task.result() for task in tasks], "late": await asyncio.gather(context.sleep(0.1), branch("c"))}
    `,
  );
  const [one, two] = await Promise.all([begin(agent_id), begin(agent_id)]);
  await Promise.all([told(one.run_id, "run.suspended", 1), told(two.run_id, "run.suspended", 1)]);
  for (const name of ["b", "a", "c"]) await signal(one.run_id, name, { payload: name });
  expect(resultOf(await one.events)).toEqual({
    all: [
      ["a", "a"],
      ["b", "b"],
    ],
    late: [null, ["c", "c"]],
  });
  expect((await call(url, "POST", `/v1/runs/${two.run_id}/cancel`)).status).toBeLessThan(300);
  expect((await two.events).at(-1)?.event).toBe("run.cancelled");
  // Its worker forgets them after the end.
  while ((await stack.sql.query("SELECT 1 FROM run_waits WHERE run_id = $1", [two.run_id])).rowCount !== 0)
    await sleep(20);
  expect((await signal(two.run_id, "a")).status).toBe(409);
});

/** Waits until a run's row says that it is suspended, after so many attempts. */
async function suspendedAt(run_id: string, attempt: number): Promise<void> {
  const isSo = async () =>
    (
      await stack.sql.query("SELECT 1 FROM runs WHERE id = $1 AND attempt = $2 AND status = 'suspended'", [
        run_id,
        attempt,
      ])
    ).rowCount === 1;
  while (!(await isSo())) await sleep(20);
}

test("asyncio: a run is woken once its code can go on, not at each end of a wait", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import asyncio
      from runfleet import SignalTimeout, context

      async def all_of():
          return await asyncio.gather(context.wait_for("a"), asyncio.gather(context.wait_for("b"), context.sleep(1.2)))

      async def one_of():
          waits = [context.wait_for("c"), context.wait_for("d")]
          done, late = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
          for wait in late:
              wait.cancel()
          return [await wait for wait in done]

      async def late():
          try:
              await asyncio.gather(context.wait_for("e"), context.wait_for("f", timeout=3))
          except SignalTimeout:
              return "late"

      async def main(input):
          branches = {"all": all_of, "one": one_of, "late": late}
          found = await asyncio.gather(*[branches[name]() for name in input["branches"]])
          return {"found": found, "attempt": context.attempt}
    `,
  );
  const [all, both, late] = await Promise.all(
    [["all"], ["all", "one"], ["late"]].map((branches) => begin(agent_id, { branches })),
  );
  if (!all || !both || !late) throw new Error("No run.");
  await Promise.all([all, both, late].map(({ run_id }) => told(run_id, "run.suspended", 1)));
  await signal(all.run_id, "a", { payload: 1 });
  await signal(both.run_id, "b", { payload: 2 });
  // The timer's time comes, too. None of the runs can go on.
  const ended = "SELECT count(*)::int AS n FROM journal_entries WHERE run_id = $1 AND kind IN ('signal', 'timer')";
  const endsOf = async (run_id: string) => (await stack.sql.query<{ n: number }>(ended, [run_id])).rows[0]?.n;
  for (const { run_id } of [all, both]) while ((await endsOf(run_id)) !== 2) await sleep(20);
  for (const { run_id } of [all, both]) await suspendedAt(run_id, 1);
  await signal(both.run_id, "d", { payload: 4 });
  await suspendedAt(both.run_id, 2);
  await signal(both.run_id, "a", { payload: 1 });
  await signal(all.run_id, "b", { payload: 2 });
  expect(resultOf(await all.events)).toEqual({ found: [[1, [2, null]]], attempt: 2 });
  expect(resultOf(await both.events)).toEqual({ found: [[1, [2, null]], [4]], attempt: 3 });
  expect(resultOf(await late.events)).toEqual({ found: ["late"], attempt: 2 });
});

/** The first two of three, beside others that are needed all; what is given up takes no signal. */
const firsts = {
  python: py`
    import asyncio
    from runfleet import SignalTimeout, context

    async def main(input):
        votes = context.first(2, *[context.wait_for(name) for name in ("x", "y", "z")])
        rest = context.wait_for("rest")
        found = [await votes, await rest]
        try:
            await context.first(2, context.wait_for("p", timeout=0.01), context.wait_for("q", timeout=0.5), context.sleep(60))
        except SignalTimeout as error:
            found.append(str(error))
        for bad in (lambda: context.first(3, rest, rest), lambda: context.first(1, 5)):
            try:
                bad()
            except (TypeError, ValueError) as error:
                found.append(str(error)[:18])
        return {"found": found, "attempt": context.attempt}
  `,
  node: `
    export async function main(input, context) {
      const votes = context.first(2, ["x", "y", "z"].map((name) => context.waitFor(name)));
      const rest = context.waitFor("rest");
      const found = [await votes, await rest];
      const late = [context.waitFor("p", { timeout: 0.01 }), context.waitFor("q", { timeout: 0.5 }), context.sleep(60)];
      found.push(await context.first(2, late).catch((error) => error.message));
      for (const bad of [() => context.first(3, [rest, rest]), () => context.first(1, [5])])
        try {
          bad();
        } catch (error) {
          found.push(error.message.slice(0, 18));
        }
      return { found, attempt: context.attempt };
    }
  `,
};

test.each(["python", "node"] as const)("%s: the first two of three wake a run once", async (adapter_type) => {
  const agent_id = await makeAgent(url, firsts[adapter_type], { adapter_type });
  const { run_id, events } = await begin(agent_id);
  await told(run_id, "run.suspended", 1);
  await signal(run_id, "z", { payload: 3 });
  await suspendedAt(run_id, 1);
  await signal(run_id, "x", { payload: 1 });
  await suspendedAt(run_id, 2);
  expect((await signal(run_id, "y", { payload: "nobody's" })).status).toBe(202);
  await signal(run_id, "rest", { payload: 4 });
  const found = [[3, 1], 4, "No signal 'q' came within 0.5 s.", "first() takes a co", "first() takes what"];
  expect(resultOf(await events)).toEqual({ found, attempt: 3 });
  const untaken = await call(url, "GET", `/v1/runs/${run_id}/inputs?untaken=true`);
  expect(untaken.body).toMatchObject({ data: [{ name: "y" }] });
});

test("Node: a run is woken once its code can go on, not at each end of a wait", async () => {
  const source = `
    import { sleep, waitFor } from "runfleet";
    const late = () => Promise.all([waitFor("e"), waitFor("f", { timeout: 3 })]).catch(() => "late");
    const one = async () => (await Promise.race([waitFor("c"), waitFor("d")]));
    const all = () => Promise.allSettled([waitFor("a"), Promise.resolve(5), Promise.all([waitFor("b"), sleep(1.2)])]);
    export async function main({ branches }, context) {
      const known = { late, one, all };
      const found = await Promise.all(branches.map((name) => context.branch(name, known[name])));
      return { found, attempt: context.attempt };
    }
  `;
  const agent_id = await makeAgent(url, source, { adapter_type: "node" });
  const [all, both, late] = await Promise.all(
    [["all"], ["all", "one"], ["late"]].map((branches) => begin(agent_id, { branches })),
  );
  if (!all || !both || !late) throw new Error("No run.");
  await Promise.all([all, both, late].map(({ run_id }) => told(run_id, "run.suspended", 1)));
  await signal(all.run_id, "a", { payload: 1 });
  await signal(both.run_id, "b", { payload: 2 });
  await signal(both.run_id, "d", { payload: 4 });
  await suspendedAt(both.run_id, 2);
  await signal(both.run_id, "a", { payload: 1 });
  await signal(all.run_id, "b", { payload: 2 });
  const settled = [1, 5, [2, null]].map((value) => ({ status: "fulfilled", value }));
  expect(resultOf(await all.events)).toMatchObject({
    found: [settled],
    attempt: expect.toSatisfy((n: number) => n <= 3),
  });
  expect(resultOf(await both.events)).toMatchObject({ found: [settled, 4] });
  expect(resultOf(await late.events)).toEqual({ found: ["late"], attempt: 2 });
});

test("a suspended run that is cancelled cleans up where it waits, and does nothing new", async () => {
  const sources = {
    plain: py`
      from runfleet import context
      def main(input):
          context.step("before", lambda: 1)
          try:
              context.wait_for("go")
          finally:
              context.emit("cleaned", "plain")
          context.step("after", lambda: 2)
    `,
    asyncio: py`
      import asyncio, time
      from runfleet import context
      async def branch():
          try:
              await context.wait_for("go")
          finally:
              context.emit("cleaned", "asyncio")
      async def main(input):
          # Longer than a worker takes to read the cancel in the row again.
          time.sleep(2.5 if context.attempt > 1 else 0)
          await asyncio.gather(branch(), context.sleep(3600))
          await context.step("after", lambda: 2)
    `,
  };
  const runs = await Promise.all(
    Object.entries(sources).map(async ([name, source]) => ({ name, ...(await begin(await makeAgent(url, source))) })),
  );
  for (const { name, run_id, events } of runs) {
    await told(run_id, "run.suspended", 1);
    expect((await call(url, "POST", `/v1/runs/${run_id}/cancel`)).status).toBeLessThan(300);
    const all = await events;
    expect(all.at(-1)?.event).toBe("run.cancelled");
    expect(all.filter(({ event }) => event === "custom").map(({ data }) => data["value"])).toEqual([name]);
    expect(all.filter(({ event, data }) => event === "step.start" && data["name"] === "after")).toEqual([]);
  }
});

test("a cancelled run that takes long to come to where it waits is ended by a second cancel", async () => {
  const source = py`
    import time
    from runfleet import context
    def main(input):
        if context.attempt > 1:
            context.emit("back")
            time.sleep(120)
        context.wait_for("go")
  `;
  const { run_id, events } = await begin(await makeAgent(url, source));
  await told(run_id, "run.suspended", 1);
  const cancel = () => call(url, "POST", `/v1/runs/${run_id}/cancel`);
  expect((await cancel()).status).toBeLessThan(300);
  await told(run_id, "custom", 1);
  expect((await cancel()).status).toBeLessThan(300);
  expect((await events).at(-1)?.event).toBe("run.cancelled");
}, 60_000);

test("a worker that leaves suspends a run that only waits, instead of handing it over", async () => {
  await worker.close();
  // Shorter than the second after which any idle run is suspended.
  const leaving = await stack.openWorker({ SHUTDOWN_GRACE_MS: "900" });
  const agent_id = await makeAgent(
    url,
    py`
    def main(input, context):
        return context.wait_for("go")
  `,
  );
  const { run_id, events } = await begin(agent_id);
  await told(run_id, "wait.opened", 1);
  await leaving.close();
  expect((await call(url, "GET", `/v1/runs/${run_id}`)).body).toMatchObject({ status: "suspended" });
  await stack.openWorker();
  await signal(run_id, "go", { payload: "now" });
  expect(resultOf(await events)).toEqual({ output: "now" });
});

/** Makes files in steps, waits without a process, and reads what is there afterwards. */
const making = {
  python: py`
    import os
    from pathlib import Path

    def make():
        Path("out/deep").mkdir(parents=True)
        Path("out/deep/data.bin").write_bytes(bytes(range(256)))
        Path("out/run.sh").write_text("#!/bin/sh\necho hi")
        os.chmod("out/run.sh", 0o755)
        os.symlink("/etc/passwd", "out/link")
        Path("beside.txt").write_text("not named")

    def missing():
        return 1

    def large():
        Path("large").write_bytes(os.urandom(4 << 20))

    def raises(context, name, function, path):
        try:
            return context.step(name, function, files=path)
        except Exception as error:
            return str(error)

    def main(input, context):
        os.mkdir("work")
        context.step("make", make, files=["out/"])
        os.chdir("work")
        errors = [raises(context, "missing", missing, "nothing"), raises(context, "large", large, ["../elsewhere/large"])]
        errors.append(raises(context, "too large", large, ["work"]))
        context.wait_for("go")
        os.chdir("..")
        made = sorted(str(path) for path in Path(".").rglob("*") if path.is_file())
        data = Path("out/deep/data.bin").read_bytes() == bytes(range(256))
        return {"made": made, "data": data, "runs": os.access("out/run.sh", os.X_OK), "errors": errors}
  `,
  node: `
    import { randomBytes } from "node:crypto";
    import { accessSync, constants, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";

    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    function make() {
      mkdirSync("out/deep", { recursive: true });
      writeFileSync("out/deep/data.bin", bytes);
      writeFileSync("out/run.sh", "#!/bin/sh", { mode: 0o755 });
      symlinkSync("/etc/passwd", "out/link");
      writeFileSync("beside.txt", "not named");
    }
    const raises = async (call) => {
      try {
        return await call();
      } catch (error) {
        return error.message;
      }
    };
    export async function main(input, context) {
      mkdirSync("work");
      await context.step("make", make, { files: ["out/"] });
      process.chdir("work");
      const large = () => writeFileSync("large", randomBytes(4 * 1024 * 1024));
      const errors = [
        await raises(() => context.step("missing", () => 1, { files: "nothing" })),
        await raises(() => context.step("large", large, { files: ["../elsewhere/large"] })),
        await raises(() => context.step("too large", large, { files: ["work"] })),
      ];
      await context.waitFor("go");
      process.chdir("..");
      const made = readdirSync(".", { recursive: true }).filter((name) => statSync(name).isFile()).sort();
      accessSync("out/run.sh", constants.X_OK);
      return { made, data: readFileSync("out/deep/data.bin").equals(bytes), runs: true, errors };
    }`,
};

test.each(["python", "node"] as const)(
  "%s: files that a step names are there again when its run goes on elsewhere, and no others",
  async (adapter_type) => {
    const agent_id = await makeAgent(url, making[adapter_type], { adapter_type });
    const { run_id, events } = await begin(agent_id);
    await told(run_id, "run.suspended", 1);
    await signal(run_id, "go");
    const result = resultOf(await events) as Record<string, unknown>;
    const files = (result["made"] as string[]).filter((name) => name.includes("out") || name.includes("beside"));
    expect({ ...result, made: files }).toEqual({
      made: ["out/deep/data.bin", "out/run.sh"],
      ...{ data: true, runs: true },
      errors: [
        "Step 'missing' names 'nothing' in `files`, and has not made it.",
        "Step 'large' names '../elsewhere/large' in `files`, which is no relative path inside of the run's directory.",
        expect.stringMatching(/^Step 'too large' has files of more than 4194304 bytes/),
      ],
    });
  },
);
