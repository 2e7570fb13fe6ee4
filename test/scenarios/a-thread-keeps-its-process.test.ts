import { expect, test } from "vitest";
import { answerRun, call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

/** Remembers what it was told, in its memory alone. */
const rememberer = py`
  import os, uuid
  words, me = [], uuid.uuid4().hex
  def main(input, context):
      if input.get("ask"):
          return {"answer": context.interrupt("Which word?")}
      if input.get("crash"):
          os._exit(3)
      if input.get("hang"):
          import time
          time.sleep(600)
      os.system("echo from a child")
      words.append(input.get("word"))
      yield f"{len(words)} words"
      return {"words": words, "me": me, "env": os.environ.get("TOKEN"), "files": sorted(context.files), "state": context.state}
`;
const nodeRememberer = `
import { execSync } from "node:child_process";
import { randomUUID } from "node:crypto";
const words = [], me = randomUUID();
export async function* main(input, context) {
  if (input.ask) return { answer: context.interrupt("Which word?") };
  if (input.crash) process.kill(process.pid, 9);
  console.log(execSync("echo from a child").toString().trim());
  words.push(input.word);
  yield \`\${words.length} words\`;
  return { words, me };
}
`;
const rememberers = [
  ["python", rememberer],
  ["node", nodeRememberer],
] as const;

const stack = await useTestStack();
const [{ url, worker }, other] = await Promise.all([stack.startMembers(), stack.start("worker")]);

const say = async (agent_id: string, thread_id: string | null, input_payload: object, more: object = {}) => {
  const answer = await execute(url, {
    agent_id,
    version: "current",
    lifecycle: "interactive",
    input_payload,
    ...(thread_id === null ? {} : { thread_id }),
    ...more,
  });
  const events = await readEvents(answer);
  return { thread: answer.headers.get("x-thread-id"), events, result: events.at(-1)?.data["result_content"] };
};
const warmOf = ({ events }: Awaited<ReturnType<typeof say>>) =>
  events.find(({ event }) => event === "run.started")?.data["warm"];

test.each(rememberers)(
  "a thread's memory survives between its messages, wherever they are asked; another thread has its own (%s)",
  async (adapter_type, source) => {
    const agent_id = await makeAgent(url, source);
    const more = { adapter_type };
    const first = await say(agent_id, null, { word: "a" }, more);
    expect(first.result).toMatchObject({ words: ["a"] });
    expect(first.events.filter(({ event }) => event === "output.delta").map(({ data }) => data["content"])).toEqual(
      expect.arrayContaining(["1 words", "from a child\n"]),
    );
    expect(warmOf(first)).toBe(false);
    for (const word of ["b", "c", "d", "e"]) {
      const next = await say(agent_id, first.thread, { word }, more);
      expect(warmOf(next)).toBe(true);
    }
    expect((await say(agent_id, first.thread, { word: "f" }, more)).result).toMatchObject({
      words: ["a", "b", "c", "d", "e", "f"],
      me: (first.result as { me: string }).me,
    });
    expect((await say(agent_id, `another-${adapter_type}`, { word: "z" }, more)).result).toMatchObject({
      words: ["z"],
    });
  },
);

test("each message has its own environment and files, and what one was told doesn't leave by a later one", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import os
      os.environ["MODE"] = "own"
      kept = []
      def main(input, context):
          kept.append(os.environ.get("TOKEN"))
          return {"mode": os.environ.get("MODE"), "kept": kept, "now": os.environ.get("TOKEN"), "data": open("data.txt").read() if context.files else None}
    `,
  );
  const first = await say(agent_id, "env", {}, { env_vars: { TOKEN: "sesame-opens-it" }, files: { "data.txt": "12" } });
  expect(first.result).toEqual({ mode: "own", kept: ["[redacted]"], now: "[redacted]", data: "12" });
  expect((await say(agent_id, "env", {})).result).toEqual({
    mode: "own",
    kept: ["[redacted]", null],
    now: null,
    data: null,
  });
});

test.each(rememberers)(
  "a person's answer reaches the same process; a crash ends one run, and the thread goes on in a new one (%s)",
  async (adapter_type, source) => {
    const agent_id = await makeAgent(url, source);
    const talk = (input: object) => say(agent_id, `talk-${adapter_type}`, input, { adapter_type });
    const { result } = await talk({ word: "a" });
    const asked = await talk({ ask: true });
    const question = asked.events.at(-1);
    expect(question?.event).toBe("run.interrupted");
    const run_id = String(question?.data["run_id"]);
    expect((await answerRun(url, run_id, { response: "b" })).status).toBe(202);
    await waitFor(async () => (await call(url, "GET", `/v1/runs/${run_id}`)).body["status"] === "success");
    expect((await talk({ word: "c" })).result).toMatchObject({ words: ["a", "c"] });

    const crashed = await talk({ crash: true });
    expect(crashed.events.at(-1)?.data["error"]).toMatchObject({ code: "process_exited" });
    const after = await talk({ word: "d" });
    expect(after.result).toMatchObject({ words: ["d"] });
    expect(after.result).not.toMatchObject({ me: (result as { me: string }).me });
  },
);

test("a process that idles for its time-out ends, and the next message starts one that knows the saved state", async () => {
  const source = py`
    import os
    def main(input, context):
        before = context.state
        context.save_state(input["word"])
        return {"before": before, "pid": os.getpid()}
  `;
  const agent_id = await makeAgent(url, source, { idle_timeout_ms: 1_000 });
  const first = await say(agent_id, "idle", { word: "kept" });
  expect(first.result).toMatchObject({ before: "" });
  const holder = async () =>
    (await stack.sql.query<{ id: string | null }>("SELECT session_worker_id AS id FROM threads WHERE id = 'idle'"))
      .rows[0]?.id;
  expect(await holder()).toEqual(expect.any(String));
  await waitFor(async () => (await holder()) === null);
  const next = await say(agent_id, "idle", { word: "more" });
  expect(warmOf(next)).toBe(false);
  expect(next.result).toMatchObject({ before: "kept" });
});

test("a time-out ends the message and not the memory", async () => {
  const agent_id = await makeAgent(url, rememberer);
  await say(agent_id, "slow", { word: "a" });
  const late = await say(agent_id, "slow", { hang: true }, { timeout_ms: 500 });
  expect(late.events.at(-1)?.event).toBe("run.timeout");
  expect((await say(agent_id, "slow", { word: "b" })).result).toMatchObject({ words: ["a", "b"] });
});

test("when the worker that keeps the process dies, another goes on with the thread's history once its lease has ended", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      def main(input, context):
          return {"said": len(context.history)}
    `,
  );
  const before = await say(agent_id, "orphan", { word: "a" });
  const workerId = before.events.find(({ event }) => event === "run.started")?.data["worker_id"];
  const fleet = (await call(url, "GET", "/v1/admin/fleet")).body["data"] as { id: string; pid: number }[];
  const pid = fleet.find(({ id }) => id === workerId)?.pid;
  const keeper = worker.child.pid === pid ? worker : other;
  expect(keeper.child.pid).toBe(pid);
  await keeper.stop("SIGKILL");
  await stack.lapse(keeper);
  const after = await say(agent_id, "orphan", { word: "b" });
  expect(after.result).toEqual({ said: 2 });
  expect(after.events.find(({ event }) => event === "run.started")?.data["worker_id"]).not.toBe(workerId);
});
