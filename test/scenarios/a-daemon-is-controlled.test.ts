import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { control, daemonThat, readDaemon, readLog } from "../harness/daemon-client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

/** Counts its messages, says what its environment holds, and can be told to sleep. */
const counter = py`
  import os, time
  count = 0
  def on_message(input, context):
      global count
      count += 1
      context.log("at work")
      yield f"message {count}"
      time.sleep(input.get("sleep", 0))
      return {"count": count, "pid": os.getpid(), "echo": input.get("echo"), "word": os.environ.get("WORD"), "version": os.environ["AGENT_VERSION"]}
`;
const nodeCounter = `
import { setTimeout as sleep } from "node:timers/promises";
let count = 0;
export async function* on_message(input, context) {
  count += 1;
  context.log("at work");
  yield \`message \${count}\`;
  await sleep((input.sleep ?? 0) * 1000);
  return { count, pid: process.pid, echo: input.echo, word: process.env.WORD, version: process.env.AGENT_VERSION };
}
`;

const stack = await useTestStack();
const { url } = await stack.startService({ worker: { DAEMON_STALL_MS: "600" } });

const ask = (agent_id: string, payload: object, wait = 20) =>
  call(url, "POST", `/v1/daemon/${agent_id}/messages?wait=${wait}`, { payload });
const post = (agent_id: string, what: string, body: object) =>
  call(url, "POST", `/v1/daemon/${agent_id}/${what}`, body);
/**
 * Sends so many commands while nobody may change the daemon: not one of them comes when another one is done. The API lets a
 * user's commands go one after another, so one of them waits in Postgres and the others behind it.
 */
async function allAtOnce<Answer>(agent_id: string, count: number, send: () => Promise<Answer>): Promise<Answer[]> {
  const gate = await stack.sql.connect();
  try {
    await gate.query("BEGIN");
    await gate.query("SELECT 1 FROM daemons WHERE agent_id = $1 FOR UPDATE", [agent_id]);
    const answers = Promise.all(Array.from({ length: count }, send));
    const waiting = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'runfleet-api'`;
    await waitFor(async () => (await stack.sql.query(waiting)).rows.length > 0);
    // What was asked before these has got as far by now.
    for (let asked = 0; asked < 5; asked += 1) await readDaemon(url, agent_id);
    await gate.query("COMMIT");
    return await answers;
  } finally {
    gate.release();
  }
}
const run = (agent_id: string, input_payload: object) =>
  execute(url, { agent_id, version: "current", lifecycle: "daemon", input_payload }).then((answer) =>
    readEvents(answer),
  );

test.each([
  ["python", counter],
  ["node", nodeCounter],
])(
  "an agent without a daemon shows stopped; the first run of lifecycle daemon starts it, and its memory stays (%s)",
  async (adapter_type, source) => {
    const agent_id = await makeAgent(url, source, { adapter_type });
    expect(await control(url, agent_id, {})).toMatchObject({
      action: "status",
      changed: false,
      daemon: { status: "stopped", desired: "stopped", pid: null, mailbox_depth: 0, health: { state: "unknown" } },
    });
    const first = await run(agent_id, { echo: "a" });
    expect(first.map(({ event }) => event)).toEqual([
      "run.queued",
      "run.started",
      "log",
      "output.delta",
      "run.success",
    ]);
    expect(first.at(-1)?.data["result_content"]).toMatchObject({ count: 1, echo: "a", version: "1.0.0" });
    const second = await run(agent_id, { echo: "b" });
    expect(second.at(-1)?.data["result_content"]).toMatchObject({ count: 2, echo: "b" });
    expect(await daemonThat(url, agent_id, ({ in_flight }) => in_flight === 0)).toMatchObject({
      status: "running",
      desired: "running",
      version: "1.0.0",
      restarts: 0,
      pid: expect.any(Number),
      worker_id: expect.any(String),
      health: { state: "healthy", busy: false, last_progress_at: expect.any(String) },
    });
  },
);

test("a stop by hand holds for an agent that never had a daemon, too, and what waited is kept until the start", async () => {
  const agent_id = await makeAgent(url, counter);
  expect(await control(url, agent_id, { action: "stop" })).toMatchObject({ changed: true });
  expect(await ask(agent_id, {})).toMatchObject({ status: 409, body: { code: "daemon_stopped" } });
  expect((await post(agent_id, "start", {})).body).toMatchObject({ changed: true });
  await control(url, agent_id, { action: "pause" });
  const waiting = await ask(agent_id, { echo: "kept" }, 0);
  await control(url, agent_id, { action: "kill" });
  const path = `/v1/runs/${String(waiting.body["id"])}`;
  expect((await call(url, "GET", path)).body["status"]).toBe("queued");
  await control(url, agent_id, { action: "start" });
  await waitFor(async () => (await call(url, "GET", path)).body["status"] === "success");
});

test.each([
  [
    "python",
    py`
      def main(input):
          yield "Hello "
          return {"ok": input}
    `,
  ],
  ["python", "print('a script')\n"],
  ["node", "export function main(input) { return { ok: input }; }\n"],
])(
  "a message to an agent that takes none ends as an error that says so, and none waits for ever (%s)",
  async (adapter_type, source) => {
    const agent_id = await makeAgent(url, source, { adapter_type });
    const events = await run(agent_id, {});
    const error = { code: "bad_entrypoint", message: expect.stringContaining("The agent takes no messages") };
    expect(events.at(-1)).toMatchObject({ event: "run.error", data: { error } });
    const attempts = events.filter(({ event }) => event === "run.started").length;
    expect(attempts).toBeLessThanOrEqual(3);
  },
  30_000,
);

test("every action through control, each of them twice: the second changes nothing", async () => {
  const agent_id = await makeAgent(url, counter);
  const twice = async (body: object) => {
    const first = await control(url, agent_id, body);
    const second = await control(url, agent_id, body);
    expect([first.changed, second.changed, body]).toEqual([true, false, body]);
    expect(second.daemon.status).toBe(first.daemon.status);
    return second.daemon;
  };
  const started = await twice({ action: "start", env_vars: { WORD: "sesame-open" } });
  expect(started).toMatchObject({ status: "running", desired: "running" });
  expect((await ask(agent_id, {})).body["result_content"]).toMatchObject({ word: "[redacted]", count: 1 });
  expect(await twice({ action: "pause" })).toMatchObject({ status: "paused", pid: started.pid });
  const waiting = await ask(agent_id, {}, 0);
  expect(waiting.status).toBe(202);
  expect(await readDaemon(url, agent_id)).toMatchObject({ status: "paused", mailbox_depth: 1, in_flight: 0 });
  expect(await twice({ action: "resume" })).toMatchObject({ status: "running", pid: started.pid });
  await waitFor(
    async () => (await call(url, "GET", `/v1/runs/${String(waiting.body["id"])}`)).body["status"] === "success",
  );
  const restarts = await allAtOnce(agent_id, 3, () => control(url, agent_id, { action: "restart" }));
  expect(restarts.map(({ changed }) => changed).sort()).toEqual([false, false, true]);
  const pids = new Set(restarts.map(({ daemon }) => daemon.pid));
  expect([pids.size, pids.has(started.pid)]).toEqual([1, false]);
  expect((await ask(agent_id, {})).body["result_content"]).toMatchObject({ count: 1, word: "[redacted]" });
  expect(await twice({ action: "stop", grace_ms: 2_000 })).toMatchObject({ status: "stopped", pid: null });
  expect(await twice({ action: "start" })).toMatchObject({ status: "running", restarts: 0 });
  expect(await twice({ action: "kill" })).toMatchObject({ status: "stopped", desired: "stopped" });
  for (const action of ["pause", "resume"])
    expect(await control(url, agent_id, { action })).toMatchObject({ changed: false, daemon: { status: "stopped" } });
  for (const refused of [await ask(agent_id, {}), await post(agent_id, "control", { agent_id, action: "message" })])
    expect(refused).toMatchObject({ status: 409, body: { code: "daemon_stopped" } });
  const run = await execute(url, { agent_id, version: "current", lifecycle: "daemon" });
  expect([run.status, (await run.json()) as object]).toMatchObject([409, { code: "daemon_stopped" }]);
  expect(await readDaemon(url, agent_id)).toMatchObject({ desired: "stopped", status: "stopped" });
  expect(await twice({ action: "start" })).toMatchObject({ status: "running" });
  const told = await control(url, agent_id, { action: "message", payload: { echo: "hi" } });
  expect(told).toMatchObject({ action: "message", changed: true, daemon: { status: "running" } });
  expect((await call(url, "GET", `/v1/runs/${told.run_id}`)).body).toMatchObject({
    status: "success",
    origin: "daemon",
    lifecycle: "daemon",
    result_content: { echo: "hi" },
  });
  const { rows } = await stack.sql.query<{ sealed_env: Buffer }>("SELECT sealed_env FROM daemons WHERE agent_id = $1", [
    agent_id,
  ]);
  expect(rows[0]?.sealed_env.includes("sesame-open")).toBe(false);
});

test("start, stop, lists and messages have operations of their own; the same message id is one message", async () => {
  const agent_id = await makeAgent(url, counter);
  const made = await call(url, "POST", "/v1/daemons?wait=20", { agent_id });
  expect([made.status, made.body["status"]]).toEqual([201, "running"]);
  expect((await call(url, "POST", `/v1/daemon/${agent_id}/start?wait=20`)).body).toMatchObject({ changed: false });
  const list = await call(url, "GET", "/v1/daemons?limit=100&status=running");
  expect((list.body["data"] as { agent_id: string }[]).map((daemon) => daemon.agent_id)).toContain(agent_id);
  const path = `/v1/daemon/${agent_id}/messages`;
  const run_id = `msg-${agent_id}`;
  const sent = [1, 2, 3].map(() => call(url, "POST", `${path}?wait=20`, { payload: { echo: 1 }, run_id }));
  for (const { status, body } of await Promise.all(sent))
    expect([status, body]).toMatchObject([200, { id: run_id, result_content: { count: 1 } }]);
  expect((await call(url, "POST", path, { payload: { echo: 2 }, run_id })).status).toBe(409);
  const stopped = await call(url, "POST", `/v1/daemon/${agent_id}/stop?wait=20`, { grace_ms: 100 });
  expect(stopped.body).toMatchObject({ changed: true, daemon: { status: "stopped" } });
});

test("what is wrong is told: another agent_id in the body, unknown agents, versions, actions, env names and log cursors", async () => {
  const agent_id = await makeAgent(url, counter);
  const post = async (body: object, id = agent_id) => {
    const { status, body: answer } = await call(url, "POST", `/v1/daemon/${id}/control`, body);
    return [status, JSON.stringify(answer)];
  };
  expect(await post({ agent_id: "other" })).toEqual([422, expect.stringContaining('"loc":["body","agent_id"]')]);
  expect(await post({})).toEqual([422, expect.stringContaining('"type":"missing"')]);
  expect(await post({ agent_id, action: "dance" })).toEqual([422, expect.stringContaining('"type":"enum"')]);
  expect(await post({ agent_id: "nobody" }, "nobody")).toEqual([404, expect.stringContaining("agent_not_found")]);
  expect(await post({ agent_id, action: "start", version: "9" })).toEqual([
    404,
    expect.stringContaining("version_not_found"),
  ]);
  expect(await post({ agent_id, action: "start", env_vars: { PATH: "/tmp" } })).toEqual([
    422,
    expect.stringContaining('"loc":["body","env_vars","PATH"]'),
  ]);
  expect((await call(url, "GET", `/v1/daemon/${agent_id}/logs?after=x`)).status).toBe(400);
  expect((await call(url, "GET", "/v1/daemon/nobody/logs")).status).toBe(404);
  expect((await readDaemon(url, agent_id)).status).toBe("stopped");
});

test("a message is checked by the agent's input_schema, whichever operation sends it, and a refused one starts no daemon", async () => {
  const input_schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  const agent_id = await makeAgent(url, counter, { input_schema });
  const refused = { status: 422, body: { detail: [{ type: "missing", loc: ["body", "payload", "text"] }] } };
  expect(await post(agent_id, "messages", { payload: {} })).toMatchObject(refused);
  expect(await post(agent_id, "control", { agent_id, action: "message" })).toMatchObject(refused);
  expect((await readDaemon(url, agent_id)).status).toBe("stopped");
  expect((await ask(agent_id, { text: "a", echo: 1 })).body).toMatchObject({ status: "success" });
});

const turner = py`
  import sys
  def main(input, context):
      turns = int(context.state or 0) + 1
      context.save_state(str(turns))
      print("turn", turns)
      print("careful", file=sys.stderr)
      for message in context.messages():
          if "bad" in message.input:
              message.fail("no good")
          elif "reply" in message.input:
              message.reply({"turns": turns})
`;
const nodeTurner = `
export async function main(input, context) {
  const turns = Number(context.state || 0) + 1;
  context.saveState(String(turns));
  console.log("turn", turns);
  console.error("careful");
  for await (const message of context.messages()) {
    if ("bad" in message.input) message.fail("no good");
    else if ("reply" in message.input) message.reply({ turns });
  }
}
`;

test.each([
  ["python", turner],
  ["node", nodeTurner],
])(
  "main runs on, keeps its state over restarts, logs, and takes its messages itself (%s)",
  async (adapter_type, source) => {
    const agent_id = await makeAgent(url, source, { adapter_type });
    await control(url, agent_id, { action: "start" });
    expect((await ask(agent_id, { reply: 1 })).body).toMatchObject({ status: "success", result_content: { turns: 1 } });
    expect((await ask(agent_id, { bad: 1 })).body).toMatchObject({ status: "error", error: { message: "no good" } });
    const unanswered = (await ask(agent_id, {}, 0)).body["id"];
    expect((await ask(agent_id, { reply: 2 })).body).toMatchObject({ result_content: { turns: 1 } });
    expect((await call(url, "GET", `/v1/runs/${String(unanswered)}`)).body["status"]).toBe("success");
    await control(url, agent_id, { action: "restart" });
    await waitFor(async () => (await readLog(url, agent_id)).includes("stdout: turn 2"));
    const log = await readLog(url, agent_id);
    expect(log).toContain("stdout: turn 1");
    expect(log).toContain("stderr: careful");
    expect(log.filter((line) => line.startsWith("daemon: started"))).toHaveLength(2);
  },
);

test("the log and the status are a stream that resumes without a gap", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      def on_message(input):
          return input
      def main():
          print('one')
          print('two')
    `,
  );
  const path = `${url}/v1/daemon/${agent_id}/stream`;
  const starting: Promise<unknown>[] = [];
  const events = await readEvents(await fetch(path), ({ event, data }) => {
    if (event === "daemon.status" && starting.length === 0) starting.push(control(url, agent_id, { action: "start" }));
    return data["message"] === "two";
  });
  await Promise.all(starting);
  const statuses = events.filter(({ event }) => event === "daemon.status").map(({ data }) => data["status"]);
  expect(statuses[0]).toBe("stopped");
  expect(statuses.length).toBeGreaterThan(1);
  const lines = events.filter(({ event }) => event === "log");
  expect(lines.map(({ data }) => data["message"])).toEqual([expect.stringContaining("started"), "one", "two"]);
  const rest = await fetch(path, { headers: { "last-event-id": lines[0]?.id ?? "" } });
  const resumed = await readEvents(rest, ({ data }) => data["message"] === "two");
  expect(resumed.filter(({ event }) => event === "log")).toEqual(lines.slice(1));
});

test("busy without progress is degraded, and healthy again with the message's end", async () => {
  const agent_id = await makeAgent(url, counter);
  const asked = ask(agent_id, { sleep: 4 });
  await daemonThat(url, agent_id, ({ status, health }) => status === "degraded" && health.busy);
  expect((await asked).body["status"]).toBe("success");
  await daemonThat(url, agent_id, ({ status, health }) => status === "running" && health.state === "healthy");
});

const sleeper = py`
  import os, time
  def on_message(input):
      yield "begun"
      while True:
          try:
              time.sleep(0.05)
          except BaseException:
              if not input.get("deaf"):
                  raise
          if input.get("quick"):
              return {"pid": os.getpid()}
`;
const nodeSleeper = `
import { setTimeout as sleep } from "node:timers/promises";
export async function* onMessage(input, { signal }) {
  yield "begun";
  if (!input.quick) await sleep(60_000, null, input.deaf ? {} : { signal });
  return { pid: process.pid };
}
`;

test.each([
  ["python", sleeper],
  ["node", nodeSleeper],
])(
  "a cancelled message ends; one that doesn't let go costs the process, not the daemon (%s)",
  async (adapter_type, source) => {
    const agent_id = await makeAgent(url, source, { adapter_type });
    const pid = (await ask(agent_id, { quick: 1 })).body["result_content"];
    const cancelled = async (payload: object) => {
      const { body } = await ask(agent_id, payload, 0);
      await waitFor(async () => (await stack.redis.xlen(`${stack.prefix}run:${String(body["id"])}`)) >= 2);
      await call(url, "POST", `/v1/runs/${String(body["id"])}/cancel`);
      return waitFor(async () => {
        const { status } = (await call(url, "GET", `/v1/runs/${String(body["id"])}`)).body;
        return status === "running" ? null : status;
      });
    };
    const before = await readDaemon(url, agent_id);
    expect(await cancelled({})).toBe("cancelled");
    expect((await ask(agent_id, { quick: 1 })).body["result_content"]).toEqual(pid);
    expect((await readDaemon(url, agent_id)).pid).toBe(before.pid);
    expect(await cancelled({ deaf: 1 })).toBe("cancelled");
    expect((await ask(agent_id, { quick: 1 })).body["status"]).toBe("success");
    const after = await daemonThat(url, agent_id, ({ restarts }) => restarts === 1);
    expect(after).toMatchObject({ status: "running", last_exit: { reason: "a cancelled message did not end" } });
  },
);
