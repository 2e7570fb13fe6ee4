import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { control, type Daemon, daemonThat, readDaemon, readLog } from "../harness/daemon-client.ts";
import { descendants } from "../harness/process-tree.ts";
import { py } from "../harness/py.ts";
import { quickest } from "../harness/quickest.ts";
import { type Member, useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const leaseMs = 3_000;
const echo = py`
  def on_message(input):
      return input
`;

/** Those of one test. */
const fleet: Member[] = [];
async function startWorker(env: Record<string, string> = {}): Promise<Member> {
  const settings = { DAEMON_BACKOFF_SCALE: "0.01", DAEMON_WATCH_MS: "1500", DAEMON_STALL_MS: "5000", ...env };
  const worker = await stack.start("worker", settings);
  fleet.push(worker);
  return worker;
}

const stack = await useTestStack();
const { url } = await stack.openApi();
afterEach(() => Promise.all(fleet.splice(0).map((worker) => worker.stop("SIGKILL"))));

const ask = (agent_id: string, payload: object, wait = 25) =>
  call(url, "POST", `/v1/daemon/${agent_id}/messages?wait=${wait}`, { payload });

/** The worker that owns a daemon, by its process. */
async function ownerOf(agent_id: string): Promise<Member> {
  const pid = await waitFor(async () => {
    const { rows } = await stack.sql.query<{ pid: number }>(
      "SELECT w.pid FROM daemons d JOIN workers w ON w.id = d.worker_id WHERE d.agent_id = $1 AND d.lease_until > now()",
      [agent_id],
    );
    return rows[0]?.pid;
  });
  const member = fleet.find(({ child }) => child.pid === pid);
  if (!member) throw new Error("no such worker");
  return member;
}

/** kill -9 of the agent's own process, as if it had crashed. */
async function killProcessOf(agent_id: string): Promise<void> {
  const { pid } = await daemonThat(url, agent_id, ({ status, pid: now }) => status === "running" && now !== null);
  const [innermost] = descendants(pid ?? 0).slice(-1);
  process.kill(innermost ?? pid ?? NaN, "SIGKILL");
}

const counters = [
  [
    "python",
    py`
      def on_message(input, context):
          n = int(context.state or 0) + 1
          context.save_state(str(n))
          return {'n': n}
    `,
  ],
  [
    "node",
    "export function onMessage(_, context) {\n  const n = Number(context.state) + 1;\n  context.saveState(n);\n  return { n };\n}\n",
  ],
] as const;

test("kill -9 of the worker: another one takes its daemons over within the lease, with their state; the old one is fenced", async () => {
  const settings = { LEASE_MS: String(leaseMs) };
  let owner = await startWorker(settings);
  const agents = await Promise.all(counters.map(([adapter_type, source]) => makeAgent(url, source, { adapter_type })));
  for (const agent_id of agents) expect((await ask(agent_id, {})).body["result_content"]).toEqual({ n: 1 });
  let epoch = 1;
  const loseWorker = async (): Promise<number> => {
    const heir = await startWorker(settings);
    const { worker_id } = await readDaemon(url, agents[0] ?? "");
    await owner.stop("SIGKILL");
    const lostAt = performance.now();
    owner = heir;
    epoch += 1;
    const taken = "SELECT 1 FROM daemons WHERE agent_id = ANY($1) AND worker_id <> $2 AND epoch = $3";
    const values = [agents, worker_id, epoch];
    await waitFor(async () => (await stack.sql.query(taken, values)).rowCount === agents.length, 30_000);
    // The claim, and not the start of the agent's process, which takes what it takes on a busy machine.
    const took = performance.now() - lostAt;
    for (const agent_id of agents) {
      const after = await daemonThat(
        url,
        agent_id,
        ({ status, restarts }) => status === "running" && restarts === epoch - 1,
      );
      expect(after.desired).toBe("running");
      expect((await ask(agent_id, {})).body["result_content"]).toEqual({ n: epoch });
    }
    return took;
  };
  expect(await quickest(leaseMs + 2_000, loseWorker)).toBeLessThan(leaseMs + 2_000);
}, 120_000);

test("a paused worker's daemon is taken over; when it wakes, it kills its process and writes nothing", async () => {
  await Promise.all([startWorker(), startWorker()]);
  const agent_id = await makeAgent(url, echo);
  await ask(agent_id, {});
  const owner = await ownerOf(agent_id);
  const { worker_id, pid } = await readDaemon(url, agent_id);
  owner.child.kill("SIGSTOP");
  await stack.lapse(owner);
  await daemonThat(url, agent_id, (seen) => seen.status === "running" && seen.worker_id !== worker_id);
  owner.child.kill("SIGCONT");
  await waitFor(() => {
    try {
      process.kill(pid ?? NaN, 0);
      return false;
    } catch {
      return true;
    }
  });
  expect((await readDaemon(url, agent_id)).worker_id).not.toBe(worker_id);
  expect((await ask(agent_id, { a: 1 })).body["status"]).toBe("success");
});

test("SIGTERM of the worker gives the daemon away at once, and the message at hand back uncharged", async () => {
  const doomed = await startWorker({ SHUTDOWN_GRACE_MS: "300" });
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def on_message(input, context):
          if input.get('slow') and context.attempt == 1:
              time.sleep(60)
          return input
    `,
  );
  await ask(agent_id, {});
  const { body } = await ask(agent_id, { slow: 1 }, 0);
  await daemonThat(url, agent_id, ({ in_flight }) => in_flight === 1);
  await startWorker();
  await doomed.stop("SIGTERM");
  await daemonThat(url, agent_id, ({ status }) => status === "running", 5_000);
  const ended = await waitFor(async () => {
    const run = (await call(url, "GET", `/v1/runs/${String(body["id"])}`)).body;
    return run["status"] === "success" ? run : null;
  }, 20_000);
  expect(ended["attempt"]).toBe(2);
  const { rows } = await stack.sql.query("SELECT lost_attempts FROM runs WHERE id = $1", [body["id"]]);
  expect(rows).toEqual([{ lost_attempts: 0 }]);
});

test("a worker that an operator drains gives its daemons away while its runs go on, and claims none again", async () => {
  const doomed = await startWorker();
  const agent_id = await makeAgent(url, echo);
  await ask(agent_id, {});
  const { worker_id } = await readDaemon(url, agent_id);
  const slow = await makeAgent(
    url,
    py`
      import time
      def main(input):
          time.sleep(120)
    `,
  );
  const { id } = (await (
    await execute(url, { agent_id: slow, version: "current" }, { prefer: "respond-async" })
  ).json()) as {
    id: string;
  };
  const runOf = async () => (await call(url, "GET", `/v1/runs/${id}`)).body;
  await waitFor(async () => (await runOf())["status"] === "running");
  await call(url, "POST", `/v1/admin/workers/${worker_id}/drain`);
  const owner = "SELECT worker_id FROM daemons WHERE agent_id = $1";
  await waitFor(async () => (await stack.sql.query(owner, [agent_id])).rows[0].worker_id === null);
  // Every worker is asked to claim it.
  await control(url, agent_id, { action: "restart" }, 0);
  await startWorker();
  const moved = await daemonThat(url, agent_id, ({ status }) => status === "running");
  expect(moved.worker_id).not.toBe(worker_id);
  expect((await stack.sql.query("SELECT epoch FROM daemons WHERE agent_id = $1", [agent_id])).rows).toEqual([
    { epoch: 2 },
  ]);
  expect(await runOf()).toMatchObject({ status: "running", worker_id });
  expect(doomed.child.exitCode).toBe(null);
});

test.each([
  ["python", "import nothere\ndef on_message(input): return input", "ModuleNotFoundError: No module named 'nothere'"],
  ["node", "throw new TypeError('no luck'); export const onMessage = (input) => input;", "TypeError: no luck"],
])(
  "messages to a daemon whose code can't be loaded end with the reason: %s %s",
  async (adapter_type, source, reason) => {
    await startWorker();
    const id = await makeAgent(url, source, { adapter_type });
    const { body } = await ask(id, {});
    expect(body).toMatchObject({
      status: "error",
      error: { message: expect.stringContaining(`code can't be loaded: ${reason}`) },
    });
    const { last_exit } = await readDaemon(url, id);
    expect(last_exit?.reason).toBe(`it was not ready: ${reason}`);
  },
);

test("400 messages, with kill -9 of the process and of the worker in between: each ends once, none is lost", async () => {
  await Promise.all([startWorker(), startWorker()]);
  const agent_id = await makeAgent(
    url,
    py`
      def on_message(input):
          return {'i': input['i']}
    `,
  );
  await control(url, agent_id, { action: "start" });
  const messages = `/v1/daemon/${agent_id}/messages`;
  const count = 400;
  const ids = Array.from({ length: count }, (_, i) => `m-${agent_id}-${i}`);
  const ended = async () => {
    const { rows } = await stack.sql.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM runs WHERE agent_id = $1 AND status = 'success'",
      [agent_id],
    );
    return rows[0]?.n ?? 0;
  };
  const untilEnded = (most: number, ms = 30_000) =>
    waitFor(async () => (await ended()) >= most, ms).catch(async (cause: unknown) => {
      const { rows } = await stack.sql.query(
        "SELECT status, attempt, lost_attempts, count(*)::int FROM runs WHERE agent_id = $1 GROUP BY 1, 2, 3",
        [agent_id],
      );
      const workers = fleet.map((worker) => [worker.child.exitCode, worker.child.signalCode, worker.logged()]);
      const daemon = await readDaemon(url, agent_id);
      const found = { runs: rows, workers, daemon, log: await readLog(url, agent_id) };
      throw new Error(`Not ${most} messages have ended: ${JSON.stringify(found, null, 1)}`, { cause });
    });
  const sending = (async () => {
    const next = ids.entries();
    const send = async () => {
      for (const [i, run_id] of next) {
        const body = { payload: { i }, run_id };
        // A message may be sent again: it has its own id.
        const isTaken = async () => [200, 202].includes((await call(url, "POST", messages, body)).status);
        await waitFor(isTaken, 30_000);
      }
    };
    await Promise.all(Array.from({ length: 8 }, send));
  })();
  await untilEnded(30);
  await killProcessOf(agent_id);
  await untilEnded(100);
  await killProcessOf(agent_id);
  const first = await ownerOf(agent_id);
  await untilEnded(180);
  await first.stop("SIGKILL");
  await stack.lapse(first);
  await startWorker();
  await sending;
  await untilEnded(280);
  const second = await ownerOf(agent_id);
  await second.stop("SIGKILL");
  await stack.lapse(second);
  await untilEnded(count, 60_000);
  const { rows } = await stack.sql.query<{ id: string; result_content: { i: number }; ends: number }>(
    `SELECT id, result_content, (SELECT count(*)::int FROM run_transitions t WHERE t.run_id = r.id AND t."to" = 'success') AS ends
     FROM runs r WHERE agent_id = $1 ORDER BY completed_at`,
    [agent_id],
  );
  expect(rows).toHaveLength(count);
  expect(rows.filter(({ id, result_content }) => id !== ids[result_content.i])).toEqual([]);
  expect(rows.filter(({ ends }) => ends !== 1)).toEqual([]);
  expect(new Set(rows.map(({ result_content }) => result_content.i)).size).toBe(count);
  const stream = await readEvents(await fetch(`${url}/v1/runs/${ids[0]}/stream`));
  expect(stream.map(({ event }) => event)).toEqual(["run.queued", "run.started", "run.success"]);
}, 180_000);

describe.concurrent("on one worker", () => {
  let worker: Member;
  beforeAll(async () => {
    // 60 s up would count as stable: here 60 ms, less than the start of a process takes.
    worker = await stack.start("worker", { DAEMON_BACKOFF_SCALE: "0.001" });
  });
  afterAll(() => worker.stop("SIGKILL"));

  const hasFailed = ({ status }: Daemon): boolean => status === "failed";
  test.each([
    [
      "python",
      py`
        def on_message(input):
            return input
        raise RuntimeError('no way up')
      `,
    ],
    ["node", "export const onMessage = (input) => input;\nthrow new RangeError('no way up');\n"],
  ])(
    "a crash loop backs off, then fails, with its traceback in the log; a start by hand tries again (%s)",
    async (adapter_type, source) => {
      const agent_id = await makeAgent(url, source, { adapter_type });
      await control(url, agent_id, { action: "start" });
      // Its worker says that it has failed, and then lets it go.
      const isLeft = (found: Daemon): boolean => hasFailed(found) && found.worker_id === null;
      const daemon = await daemonThat(url, agent_id, isLeft, 30_000);
      expect(daemon).toMatchObject({ desired: "running", pid: null, restarts: 7 });
      expect(daemon.last_exit).toMatchObject({ code: 1 });
      const log = (await readLog(url, agent_id)).join("\n");
      expect(log).toMatch(/agent: R\w+Error: no way up/);
      expect(log.match(/daemon: started/g)).toHaveLength(8);
      const refused = await ask(agent_id, {}, 0);
      expect([refused.status, refused.body["code"]]).toEqual([503, "daemon_failed"]);
      expect(await control(url, agent_id, { action: "start" })).toMatchObject({ changed: true });
      await daemonThat(url, agent_id, hasFailed, 30_000);
    },
    120_000,
  );

  test.each([
    ["python", "def on_message(input): return input\nraise RuntimeError('a\\0b')\n", "RuntimeError: a\ufffdb"],
    ["node", 'throw new Error("\\ud83d");\n', "Error: \ufffd"],
  ])(
    "a daemon whose error has a zero or half of a surrogate pair fails as any other, and its owner is told (%s)",
    async (adapter_type, source, error) => {
      const agent_id = await makeAgent(url, source, { adapter_type });
      await control(url, agent_id, { action: "start" });
      const { last_exit } = await daemonThat(url, agent_id, hasFailed, 30_000);
      expect(last_exit?.reason).toBe(`it was not ready: ${error}`);
      const told = await call(url, "GET", `/v1/notifications?agent_id=${agent_id}&type=daemon.failed`);
      expect(told.body["data"]).toMatchObject([{ level: "error", body: last_exit?.reason }]);
    },
    120_000,
  );

  test("a message that kills its daemon each time ends as an error after its attempts; the others go on", async () => {
    const agent_id = await makeAgent(
      url,
      py`
        import os
        def on_message(input):
            if input.get('poison'):
                os._exit(3)
            return input
      `,
    );
    const poison = ask(agent_id, { poison: 1 });
    const good = ask(agent_id, { good: 1 });
    expect((await poison).body).toMatchObject({ status: "error", attempt: 3, error: { code: "daemon_crashed" } });
    expect((await good).body).toMatchObject({ status: "success", attempt: 1 });
  });

  test("runs of other lifecycles are not the daemon's, and a daemon's run is nobody else's", async () => {
    const agent_id = await makeAgent(
      url,
      py`
        def main(input):
            return {'by': 'main'}
        def on_message(input):
            return {'by': 'daemon'}
      `,
    );
    const run = async (lifecycle: string) => {
      const events = await readEvents(await execute(url, { agent_id, version: "current", lifecycle }));
      return events.at(-1)?.data["result_content"];
    };
    expect(await run("serverless")).toEqual({ by: "main" });
    expect(await run("daemon")).toEqual({ by: "daemon" });
    expect(await run("serverless")).toEqual({ by: "main" });
  });
});
