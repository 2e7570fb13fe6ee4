import { describe, expect, test } from "vitest";
import { call, execute, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

type Body = Record<string, unknown>;

async function publish(config: Body, user_id = "u"): Promise<string> {
  const made = await call(url, "POST", "/v1/agents", { user_id, name: "a", config: { reuse: true, ...config } });
  return String(made.body["id"]);
}

async function run(agent_id: string, body: Body = {}) {
  const events = await readEvents(await execute(url, { agent_id, version: "current", ...body }));
  const none: { event: string; data: Body } = { event: "", data: {} };
  const started = events.find(({ event }) => event === "run.started") ?? none;
  return { started: started.data, last: events.at(-1) ?? none, events };
}

const languages: [string, Body][] = [
  [
    "python",
    {
      source: py`
        import os
        count = 0
        def main(input):
            global count
            count += 1
            print("said", count)
            if input.get("exit"): os._exit(3)
            if input.get("fail"): raise ValueError("no")
            if input.get("grow"): bytearray(input["grow"])
            while input.get("burn"): pass
            return {"count": count, "pid": os.getpid(), "secret": os.environ.get("ONCE")}
      `,
    },
  ],
  [
    "node",
    {
      adapter_type: "node",
      source: `let count = 0;
        export async function main(input) {
          count += 1;
          console.log("said", count);
          if (input.exit) process.exit(3);
          if (input.fail) throw new Error("no");
          while (input.burn);
          return { count, pid: process.pid, secret: process.env.ONCE ?? null };
        }`,
    },
  ],
];

/** Tells which state its run has, and saves its thread's name as the next one. */
const stateful: Record<string, Body> = {
  python: {
    source: py`
      def main(input, context):
          before = context.state
          context.save_state(context.thread_id or "none")
          return {"before": before}
    `,
  },
  node: {
    adapter_type: "node",
    source: `export function main(input, context) {
        const before = context.state;
        context.saveState(context.thread_id ?? "none");
        return { before };
      }`,
  },
};

describe.each(languages)("%s", (language, config) => {
  test("a version's runs are executed by one process, and what it has in memory stays", async () => {
    const agent = await publish(config);
    const first = await run(agent);
    const second = await run(agent);
    expect([first.started["reused"], second.started["reused"]]).toEqual([undefined, true]);
    expect(first.last.data["result_content"]).toMatchObject({ count: 1 });
    expect(second.last.data["result_content"]).toMatchObject({ count: 2 });
    // Each run has its own output, and no other run's.
    const said = second.events.filter(({ event }) => event === "output.delta").map(({ data }) => data["content"]);
    expect(said.join("")).toBe("said 2\n");
  });

  test("a process that a run failed in, ended or kept busy is replaced", async () => {
    const agent = await publish({ ...config, limits: { cpu_ms: 700 } });
    for (const [input_payload, event] of [
      [{ fail: true }, "run.error"],
      [{ exit: true }, "run.error"],
      [{ burn: true }, "run.error"],
    ] as const) {
      expect((await run(agent)).last.data["result_content"]).toMatchObject({ count: 1 });
      expect((await run(agent, { input_payload })).last.event).toBe(event);
    }
    const { started, last } = await run(agent);
    expect([started["reused"], last.data["result_content"]]).toEqual([
      undefined,
      expect.objectContaining({ count: 1 }),
    ]);
  });

  test("runs at the same time have a process each", async () => {
    const agent = await publish(config);
    const runs = await Promise.all([run(agent), run(agent), run(agent)]);
    const counts = runs.map(({ last }) => (last.data["result_content"] as Body)["count"]);
    expect(counts.every((count) => Number(count) >= 1)).toBe(true);
    expect(runs.filter(({ started }) => started["reused"]).length).toBe(
      counts.filter((count) => Number(count) > 1).length,
    );
  });

  test("a run's variables are gone when it has ended", async () => {
    const agent = await publish(config);
    const env_vars = { ONCE: "only-this-run" };
    await run(agent, { env_vars });
    const { started, last } = await run(agent);
    expect(started["reused"]).toBe(true);
    expect(last.data["result_content"]).toMatchObject({ secret: null });
  });

  test("a run has its own thread's state, and no state that another thread has saved in the process", async () => {
    const agent = await publish(stateful[language] ?? {});
    const inThread = async (thread_id: string) => {
      const { started, last } = await run(agent, { thread_id });
      return [started["reused"] ?? false, last.data["result_content"]];
    };
    const said = [];
    for (const thread of ["one", "one", "two", "one"]) said.push(await inThread(`${language}-${thread}`));
    expect(said).toEqual([
      [false, { before: "" }],
      [true, { before: `${language}-one` }],
      [true, { before: "" }],
      [true, { before: `${language}-one` }],
    ]);
    const { started, last } = await run(agent);
    expect([started["reused"], last.data["result_content"]]).toEqual([true, { before: "" }]);
  });

  test("a process that has seen many secrets is replaced, so that what is searched for doesn't grow for ever", async () => {
    const agent = await publish(config);
    const reused: unknown[] = [];
    for (let n = 0; n < 11; n += 1) {
      const { started } = await run(agent, { env_vars: { ONCE: String(n).padStart(3, "0").repeat(10_000) } });
      reused.push(started["reused"] ?? false);
    }
    // Nine of them are more than 256 KiB.
    expect(reused).toEqual([false, ...Array(8).fill(true), false, true]);
  });

  test("a run that is isolated or brings files has a process of its own, and another version has none of this one's", async () => {
    const agent = await publish(config);
    await run(agent);
    const isolated = await run(agent, { runtime_mode: "isolated" });
    const withFiles = await run(agent, { files: { "note.txt": "hello" } });
    for (const { started, last } of [isolated, withFiles]) {
      expect(started["reused"]).toBeUndefined();
      expect(last.data["result_content"]).toMatchObject({ count: 1 });
    }
    await call(url, "POST", `/v1/versions/${agent}`, { version: "2.0.0", config: { reuse: true, ...config } });
    const next = await run(agent, { version: "2.0.0" });
    expect(next.last.data["result_content"]).toMatchObject({ count: 1 });
  });
});
