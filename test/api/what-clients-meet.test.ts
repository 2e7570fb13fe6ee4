import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const wait = { prefer: "wait=20" };
const run = async (agent_id: string, more: Record<string, unknown> = {}) =>
  call(url, "POST", "/v1/execute", { agent_id, version: "current", ...more }, wait);
const echo = py`
  def main(input):
      return input
`;
const nodeSource = "export default function main(input) { return { node: true }; }";
const makeNodeAgent = () => makeAgent(url, nodeSource, { adapter_type: "node", entrypoint: "main.mjs" });

test("the specification's default adapter_type means the same as none; another one than the version's is refused", async () => {
  const node = await makeNodeAgent();
  const command = await makeAgent(url, "", { adapter_type: "command", command: ["echo", "hi"] });
  for (const adapter_type of ["python", undefined]) {
    expect(await run(node, { adapter_type })).toMatchObject({ body: { status: "success", adapter_type: "node" } });
    expect(await run(command, { adapter_type })).toMatchObject({ body: { status: "success" } });
  }
  expect((await run(command, { adapter_type: "process" })).body["status"]).toBe("success");
  const mismatch = { status: 422, body: { detail: [{ type: "adapter_mismatch", loc: ["body", "adapter_type"] }] } };
  const python = await makeAgent(url, echo, { adapter_type: "python" });
  for (const [agent_id, adapter_type] of [
    [node, "langgraph"],
    [node, "command"],
    [python, "node"],
  ] as const) {
    const request = { agent_id, version: "current", adapter_type };
    expect(await run(agent_id, { adapter_type })).toMatchObject(mismatch);
    expect(await call(url, "POST", "/v1/validate", request)).toMatchObject(mismatch);
    expect(await call(url, "POST", "/v1/jobs", { ...request, schedule: "@daily" })).toMatchObject(mismatch);
  }
  expect((await run(python, { adapter_type: "crewai" })).body["status"]).toBe("success");
  // A config without an adapter leaves the choice to the request.
  const open = await makeAgent(url, nodeSource, { entrypoint: "main.mjs" });
  expect((await run(open, { adapter_type: "node" })).body["status"]).toBe("success");
});

test("a run is run again under a version with another adapter", async () => {
  const agent_id = await makeAgent(url, nodeSource, { adapter_type: "node", entrypoint: "main.mjs" });
  const { body: first } = await run(agent_id);
  await call(url, "POST", `/v1/versions/${agent_id}`, {
    version: "2.0.0",
    config: { source: echo, adapter_type: "python" },
  });
  const again = await call(url, "POST", `/v1/runs/${String(first["id"])}/replay`, { version: "2.0.0" });
  expect(again.body).toMatchObject({ adapter_type: "python" });
});

test("a name means one thing: aliases and tags can't be published, versions can't be tags, an upgrade goes where the name points", async () => {
  const agent_id = await makeAgent(url, echo);
  const upgrade = (version: string) => call(url, "POST", "/v1/upgrade", { agent_id, version });
  const publish = (version: string, config = { source: "def main(input): return {'new': 1}" }) =>
    call(url, "POST", `/v1/versions/${agent_id}`, { version, config });
  const tag = (name: string, version: string) => call(url, "PUT", `/v1/versions/${agent_id}/tags/${name}`, { version });
  expect((await publish("1.1.0")).status).toBe(201);
  expect((await tag("prod", "1.1.0")).status).toBe(200);

  expect(await upgrade("prod")).toMatchObject({
    status: 200,
    body: { version: "1.1.0", created: false, changed: true },
  });
  expect((await run(agent_id, { version: "prod" })).body).toMatchObject({
    version: "1.1.0",
    result_content: { new: 1 },
  });
  expect(await upgrade("current")).toMatchObject({ body: { version: "1.1.0", created: false, changed: false } });
  expect((await publish("1.2.0")).status).toBe(201);
  expect(await upgrade("latest")).toMatchObject({ body: { version: "1.2.0", created: false } });
  expect(await call(url, "POST", "/v1/rollback", { agent_id, version: "prod" })).toMatchObject({
    body: { version: "1.1.0" },
  });

  for (const name of ["current", "latest"]) {
    expect(await publish(name)).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "version"] }] } });
    const agent = { user_id: "tester", name: "x", version: name };
    expect(await call(url, "POST", "/v1/agents", agent)).toMatchObject({ status: 422 });
    expect(await tag(name, "1.1.0")).toMatchObject({ status: 422, body: { detail: [{ loc: ["path", "tag"] }] } });
  }
  const taken = { status: 409, body: { code: "version_name_taken" } };
  expect(await publish("prod")).toMatchObject(taken);
  const again = { user_id: "tester", name: "agent", id: agent_id, version: "prod", config: {} };
  expect(await call(url, "POST", "/v1/agents", again)).toMatchObject(taken);
  expect(await tag("1.1.0", "1.2.0")).toMatchObject(taken);
  const { body } = await call(url, "GET", `/v1/versions/${agent_id}`);
  expect((body["data"] as { version: string }[]).map(({ version }) => version).toSorted()).toEqual([
    "1.0.0",
    "1.1.0",
    "1.2.0",
  ]);
});

test("of a version and a tag that are made with one name at once, one is refused", async () => {
  const agent_id = await makeAgent(url, echo);
  for (let round = 0; round < 8; round += 1) {
    const name = `n${round}`;
    const [published, tagged] = await Promise.all([
      call(url, "POST", `/v1/versions/${agent_id}`, { version: name, config: {} }),
      call(url, "PUT", `/v1/versions/${agent_id}/tags/${name}`, { version: "1.0.0" }),
    ]);
    expect([published.status, tagged.status].filter((status) => status === 409)).toHaveLength(1);
  }
});

type Message = { role: string; content: unknown; text: string | null };

const readThread = async (thread_id: string) => {
  const { body } = await call(url, "GET", `/v1/threads/${thread_id}/messages?order=asc`);
  return (body["data"] as Message[]).map(({ role, content, text }) => ({ role, content, text }));
};

test.each([
  [
    "python",
    py`
      import runfleet
      def main(input):
          if input.get("fail"):
              yield "I was about to"
              raise ValueError("no")
          yield "Hello, "
          yield input["name"]
          return {"greeted": True, "heard": runfleet.context.history}
    `,
    {},
  ],
  [
    "node",
    `export default async function* main(input, context) {
      if (input.fail) { yield "I was about to"; throw new Error("no"); }
      yield "Hello, ";
      yield input.name;
      return { greeted: true, heard: context.history };
    }`,
    { adapter_type: "node", entrypoint: "main.mjs" },
  ],
])(
  "a thread keeps what a %s agent said and its result, and hands both to the next run; of a failed run, what was asked",
  async (kind, source, config) => {
    const agent_id = await makeAgent(url, source, config);
    const thread_id = `said-${kind}`;
    await run(agent_id, { thread_id, input_payload: { name: "Ada" } });
    const failed = await run(agent_id, { thread_id, input_payload: { fail: true } });
    expect(failed.body["status"]).toBe("error");
    const first = [
      { role: "user", content: { name: "Ada" } },
      { role: "assistant", content: { greeted: true, heard: [] }, text: "Hello, Ada" },
      { role: "user", content: { fail: true } },
    ];
    expect(await readThread(thread_id)).toEqual(first.map((message) => ({ text: null, ...message })));
    const next = await run(agent_id, { thread_id, input_payload: { name: "Bob" } });
    expect(next.body["result_content"]).toEqual({ greeted: true, heard: first });
  },
);

test("of an agent that returns nothing, what it said is its result; a cancelled run's question is kept; a fork has all of it", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def main(input):
          yield "Hi"
          if input.get("sleep"):
              time.sleep(60)
    `,
  );
  const thread_id = "said-only";
  await run(agent_id, { thread_id });
  const { body } = await call(
    url,
    "POST",
    "/v1/execute",
    { agent_id, version: "current", thread_id, input_payload: { sleep: true } },
    { prefer: "respond-async" },
  );
  await call(url, "POST", `/v1/runs/${String(body["id"])}/complete`, { status: "cancelled" });
  const messages = [
    { role: "user", content: {}, text: null },
    { role: "assistant", content: { output: "Hi" }, text: "Hi" },
    { role: "user", content: { sleep: true }, text: null },
  ];
  expect(await readThread(thread_id)).toEqual(messages);
  const fork = await call(url, "POST", `/v1/threads/${thread_id}/fork`, {});
  expect(await readThread(String(fork.body["id"]))).toEqual(messages);
});

test("a thread is made by `id`, too; two different ids are refused", async () => {
  expect(await call(url, "POST", "/v1/threads", { id: "by-id" })).toMatchObject({ status: 201, body: { id: "by-id" } });
  expect((await call(url, "POST", "/v1/threads", { id: "by-id" })).status).toBe(409);
  expect(await call(url, "POST", "/v1/threads", { id: "a", thread_id: "b" })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "id"] }] },
  });
});

test("runs and threads have tags and metadata, by which their lists are filtered", async () => {
  const agent_id = await makeAgent(url, echo);
  const mine = { tags: ["vip", "vip", "beta"], metadata: { customer: "ada", order: 7, paid: true, deep: { a: 1 } } };
  const { body: first } = await run(agent_id, mine);
  expect(first).toMatchObject({ status: "success", tags: ["vip", "beta"], metadata: mine.metadata });
  const batch = await call(url, "POST", "/v1/execute/batch", {
    requests: [{ agent_id, version: "current", tags: ["beta"], metadata: { customer: "bob" } }],
  });
  const second = String((batch.body["data"] as { run_id: string }[])[0]?.run_id);
  const job = { agent_id, version: "current", schedule: "0 0 1 1 *", tags: ["nightly"], metadata: { customer: "eve" } };
  const { body: made } = await call(url, "POST", "/v1/jobs", job);
  expect(made).toMatchObject({ tags: ["nightly"], metadata: { customer: "eve" } });
  const { body: third } = await call(url, "POST", `/v1/jobs/${String(made["id"])}/trigger`);
  expect(third).toMatchObject({ tags: ["nightly"], metadata: { customer: "eve" } });
  const replayed = await call(url, "POST", `/v1/runs/${String(first["id"])}/replay`, {});
  expect(replayed.body).toMatchObject({ tags: ["vip", "beta"], metadata: mine.metadata });

  const found = async (query: string, of = "runs") => {
    const { body } = await call(url, "GET", `/v1/${of}?${query}`);
    return (body["data"] as { id: string }[]).map(({ id }) => id).toSorted();
  };
  const [one, again] = [String(first["id"]), String(replayed.body["id"])];
  // Only runs that have ended can be replayed.
  expect((await readEvents(await resume(url, again))).at(-1)).toMatchObject({ event: "run.success" });
  expect(await found("tag=vip")).toEqual([one, again].toSorted());
  expect(await found("tag=beta&metadata[customer]=bob")).toEqual([second]);
  expect(await found("metadata[customer]=ada&metadata[order]=7&metadata[paid]=true")).toEqual([one, again].toSorted());
  expect(await found(`metadata%5Bcustomer%5D=eve&status=success&agent_id=${agent_id}`)).toEqual(
    await found("tag=nightly&status=success"),
  );
  expect(await found("metadata[customer]=ada&tag=nightly")).toEqual([]);
  expect(await found("tag=nobody")).toEqual([]);
  expect(await found(`tag=vip&thread_id=none`)).toEqual([]);

  const thread = await call(url, "POST", "/v1/threads", { id: "tagged", tags: ["vip"], metadata: { customer: "ada" } });
  expect(thread.body).toMatchObject({ tags: ["vip"], metadata: { customer: "ada" } });
  expect(await found("tag=vip&status=idle", "threads")).toEqual(["tagged"]);
  expect(await found("tag=vip&status=busy", "threads")).toEqual([]);
  await call(url, "PATCH", "/v1/threads/tagged", { tags: ["gold"], metadata: { customer: "bob" } });
  expect(await found("tag=vip", "threads")).toEqual([]);
  expect(await found("tag=gold&metadata[customer]=bob", "threads")).toEqual(["tagged"]);
  const fork = await call(url, "POST", "/v1/threads/tagged/fork", { metadata: { customer: "eve" } });
  expect(await found("tag=gold&metadata[customer]=eve", "threads")).toEqual([String(fork.body["id"])]);

  const preview = await call(url, "POST", "/v1/runs/bulk/replay", {
    filter: { metadata: { customer: "ada" } },
    preview: true,
  });
  expect(preview.body).toMatchObject({ total: 2 });
});

test("what is too much for metadata or tags, or no filter, is refused by name", async () => {
  const agent_id = await makeAgent(url, echo);
  const keys = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, i]));
  for (const [more, place] of [
    [{ metadata: keys }, "metadata"],
    [{ metadata: { a: "x".repeat(70_000) } }, "metadata"],
    [{ metadata: [] }, "metadata"],
    [{ tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, "tags"],
    [{ tags: [{}] }, "tags"],
    [{ tags: "vip" }, "tags"],
  ] as const) {
    const { status, body } = await run(agent_id, more);
    expect({ status, detail: body["detail"] }).toMatchObject({
      status: 422,
      detail: [{ loc: expect.arrayContaining(["body", place]) as unknown }],
    });
  }
  const odd = { metadata: { "nul\0": "a\0b", half: "\ud800" }, tags: ['it\'s {"odd"},'] };
  expect(await run(agent_id, odd)).toMatchObject({ status: 200, body: odd });
  const { body } = await call(url, "GET", `/v1/runs?tag=${encodeURIComponent(odd.tags[0] ?? "")}`);
  expect(body["data"]).toHaveLength(1);
  for (const query of ["metadata=x", "metadata[]=x", "metadata[a][b]=x", `metadata[a]=${"x".repeat(257)}`, "tag="]) {
    const answer = await call(url, "GET", `/v1/runs?${query}`);
    expect({ query, status: answer.status }).toEqual({ query, status: 422 });
  }
});

test.each([
  [
    "python",
    py`
      import runfleet
      def main(input):
          before = runfleet.context.state
          if "save" in input:
              runfleet.context.save_state(input["save"])
          return {"before": before, "now": runfleet.context.state, "stored": runfleet.context.state_snapshot}
    `,
    {},
  ],
  [
    "node",
    `export default function main(input, context) {
      const before = context.state;
      if ("save" in input) context.saveState(input.save);
      return { before, now: context.state, stored: context.state_snapshot };
    }`,
    { adapter_type: "node", entrypoint: "main.mjs" },
  ],
])(
  "what a %s agent saves as its state comes back as it was: a value as the value, a text as the text",
  async (kind, source, config) => {
    const agent_id = await makeAgent(url, source, config);
    const thread_id = `state-${kind}`;
    const say = async (input_payload: object) =>
      (await run(agent_id, { thread_id, input_payload })).body["result_content"] as Record<string, unknown>;
    const saved: unknown[] = [{ turn: 1, ü: [null, 2.5] }, [1, "2"], 5, true, null, '{"turn":1}', "5", " x", "text"];
    await say({ save: saved[0] });
    for (const [at, value] of saved.entries()) {
      const { before, now } = await say({ save: at + 1 < saved.length ? saved[at + 1] : "last" });
      expect({ before, now }).toEqual({ before: value, now: at + 1 < saved.length ? saved[at + 1] : "last" });
    }
    // The API shows a value as JSON, and what it is given is a text.
    const state = (await call(url, "GET", `/v1/threads/${thread_id}/state`)).body["state_snapshot"];
    expect(state).toBe("last");
    await call(url, "POST", `/v1/threads/${thread_id}/state`, { state_snapshot: '{"step":2}' });
    expect(await say({ save: { step: 3 } })).toMatchObject({ before: '{"step":2}', now: { step: 3 } });
    const next = (await call(url, "GET", `/v1/threads/${thread_id}/state`)).body["state_snapshot"];
    expect(JSON.parse(String(next))).toEqual({ step: 3 });
  },
);

test("a run that is ended from outside tells its attempts and what its process used", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import time, runfleet
      def main(input):
          runfleet.usage(input_tokens=7)
          yield "started"
          time.sleep(60)
    `,
  );
  const response = await execute(url, { agent_id, version: "current" });
  const run_id = response.headers.get("x-run-id") ?? "";
  await readEvents(response, ({ event }) => event === "output.delta");
  const done = await call(url, "POST", `/v1/runs/${run_id}/complete`, {});
  expect(done.body).toMatchObject({ status: "success", attempt: 1 });
  const used = await waitFor(async () => (await call(url, "GET", `/v1/runs/${run_id}`)).body["usage"] ?? null);
  expect(used).toMatchObject({ input_tokens: 7 });
});

test("the largest file fits a request; a larger one is refused by name", async () => {
  const agent_id = await makeAgent(url, echo);
  const most = 5 * 1024 * 1024;
  expect((await run(agent_id, { files: { "big.txt": "x".repeat(most) } })).status).toBe(200);
  const refused = await run(agent_id, { files: { "big.txt": "x".repeat(most + 1) } });
  expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "files", "big.txt"] }] } });
});

test("the export tells whose run it was, and why it failed", async () => {
  const agent_id = await makeAgent(url, "def main(input): raise ValueError('no')");
  const { body } = await run(agent_id, { thread_id: "exported" });
  const lines = (await (await fetch(`${url}/v1/studio/export?agent_id=${agent_id}`)).text()).trim().split("\n");
  const columns = (lines[0] ?? "").split(",");
  const values = (lines[1] ?? "").split(",");
  const row = Object.fromEntries(columns.map((name, at) => [name, values[at]]));
  expect(row).toMatchObject({
    run_id: body["id"],
    agent_id,
    thread_id: "exported",
    job_id: "",
    error_code: "agent_error",
  });
});

test("publishing and a dry run name the keys of a config that the service doesn't read, and keep them", async () => {
  const config = { source: echo, requirments: ["httpx"], colour: "blue" };
  const made = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config });
  const warnings = [
    {
      code: "unknown_config_key",
      message: "The service doesn't read `config.requirments`. Did you mean `requirements`?",
    },
    { code: "unknown_config_key", message: "The service doesn't read `config.colour`." },
  ];
  expect(made).toMatchObject({ status: 201, body: { config, warnings } });
  const agent_id = String(made.body["id"]);
  const version = await call(url, "POST", `/v1/versions/${agent_id}`, { version: "2.0.0", config });
  expect(version).toMatchObject({ status: 201, body: { config, warnings } });
  const dry = await call(url, "POST", "/v1/validate", { agent_id, version: "current" });
  expect(dry.body["warnings"]).toMatchObject(warnings);
});
