import { expect, test } from "vitest";
import { call, makeAgent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.startService();
const agent_id = await makeAgent(
  url,
  py`
    def main(input):
        return {}
  `,
);

const long = "x".repeat(5_000);
const bad: [string, Record<string, unknown>, string[]][] = [
  ...[
    "../x",
    "/etc/x",
    "a/../../b",
    "C:\\x",
    "",
    ".",
    "..",
    "a\u0000b",
    "a".repeat(300),
    "a/",
    "a\\b",
    "line\nbreak",
  ].map((name): [string, Record<string, unknown>, string[]] => [
    `a file named ${JSON.stringify(name).slice(0, 30)}`,
    { files: { [name]: "x" } },
    ["body", "files", name],
  ]),
  ["51 files", { files: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`f${i}`, ""])) }, ["body", "files"]],
  ["two files that differ in case only", { files: { "a.txt": "1", "A.txt": "2" } }, ["body", "files", "A.txt"]],
  ["a file whose base64 breaks off", { files: { "a.bin": "data:;base64,aGk" } }, ["body", "files", "a.bin"]],
  [
    "a file that isn't base64 though it says so",
    { files: { "a.bin": "data:;base64,@@@@" } },
    ["body", "files", "a.bin"],
  ],
  ["a file that is no data URL though it says so", { files: { "a.bin": "data:nothing" } }, ["body", "files", "a.bin"]],
  ...["LD_PRELOAD", "PYTHONPATH", "PATH", "BASH_ENV", "NODE_OPTIONS", "A=B", "1A", "A-B", ""].map(
    (name): [string, Record<string, unknown>, string[]] => [
      `an env_var named '${name}'`,
      { env_vars: { [name]: "x" } },
      ["body", "env_vars", name],
    ],
  ),
  ["an env value with NUL", { env_vars: { A: "x\u0000" } }, ["body", "env_vars", "A"]],
  ["an env value of 40 KB", { env_vars: { A: "x".repeat(40_000) } }, ["body", "env_vars", "A"]],
  [
    "101 env_vars",
    { env_vars: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`A${i}`, ""])) },
    ["body", "env_vars"],
  ],
  ...["", " ", "__proto__", "../..", long, "é", "a/b", "a b", ":a"].map(
    (run_id): [string, Record<string, unknown>, string[]] => [
      `run_id ${JSON.stringify(run_id).slice(0, 20)}`,
      { run_id },
      ["body", "run_id"],
    ],
  ),
  ["a run_id that is a number", { run_id: 123 }, ["body", "run_id"]],
  ["an unknown adapter_type", { adapter_type: "perl" }, ["body", "adapter_type"]],
  ["an unknown runtime_mode", { runtime_mode: "turbo" }, ["body", "runtime_mode"]],
  ["an unknown lifecycle", { lifecycle: "eternal" }, ["body", "lifecycle"]],
  ["an input of 4 MB", { input_payload: { x: "x".repeat(4_000_000) } }, ["body", "input_payload"]],
  ["a state of 2 MB", { state_snapshot: "x".repeat(2_000_000) }, ["body", "state_snapshot"]],
  ["1001 items of history", { history: Array.from({ length: 1001 }, () => 1) }, ["body", "history"]],
  ...[
    "javascript:alert(1)",
    "//host",
    "nope",
    "http://127.0.0.2.example@10.0.0.1/",
    "http://user:pw@example.com/",
    "http://10.0.0.1/",
    "http://[::1]:1/",
    "http://169.254.169.254/",
    "http://0x0a000001/",
    "http://[::ffff:10.0.0.1]/",
    "ftp://example.com/",
    "http://example.com:0/",
    `http://example.com/${long}`,
  ].map((target): [string, Record<string, unknown>, string[]] => [
    `a callback to ${target.slice(0, 40)}`,
    { completion_callback_url: target },
    ["body", "completion_callback_url"],
  ]),
];

test.each(bad)("%s is a 422 that names the place, and leaves no run", async (_name, part, loc) => {
  const { rows: before } = await stack.sql.query("SELECT count(*) FROM runs");
  const answer = await call(url, "POST", "/v1/execute", { agent_id, version: "current", ...part });
  expect(answer.status).toBe(422);
  expect(answer.body["detail"]).toEqual(expect.arrayContaining([expect.objectContaining({ loc })]));
  expect((await stack.sql.query("SELECT count(*) FROM runs")).rows).toEqual(before);
});

test.each([
  ["an unknown agent", { agent_id: "nobody" }, 404, "agent_not_found"],
  ["an agent named by SQL", { agent_id: "a'; DROP TABLE runs;--" }, 422, undefined],
  ["an unknown version", { version: "9.9.9" }, 404, "version_not_found"],
  ["an adapter that no worker offers", { adapter_type: "container" }, 503, "no_worker"],
])("%s is answered with its own status", async (_name, part, status, code) => {
  const answer = await call(url, "POST", "/v1/execute", { agent_id, version: "current", ...part });
  expect([answer.status, answer.body["code"]]).toEqual([status, code]);
  if (status === 503) expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
});

test("odd but legal content comes back exactly: NUL, lone surrogates, __proto__, deep and wide JSON", async () => {
  const echo = await makeAgent(
    url,
    py`
      import json
      def main(input):
          return {'keys': sorted(input), 'len': len(input['text'])}
    `,
  );
  const raw = String.raw`{"agent_id":"${echo}","version":"current","input_payload":{"text":"a\u0000b\ud800c","__proto__":{"x":1},"constructor":1}}`;
  const response = await fetch(`${url}/v1/execute`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "wait=20" },
    body: raw,
  });
  expect([response.status, await response.json()]).toMatchObject([
    200,
    { status: "success", result_content: { keys: ["__proto__", "constructor", "text"], len: 5 } },
  ]);
});

test.each([
  [{ status: "great" }, "status"],
  [{ duration_ms: -1 }, "duration_ms"],
  [{ duration_ms: 1.5 }, "duration_ms"],
  [{ duration_ms: 1e300 }, "duration_ms"],
  [{ result_content: [] }, "result_content"],
])("a completion of %j is a 422", async (body, place) => {
  const answer = await call(url, "POST", "/v1/runs/any/complete", body);
  expect([answer.status, answer.body["detail"]]).toMatchObject([422, [{ loc: ["body", place] }]]);
});

test.each(["%", "%00", "%2F..%2F", "a%20b", "__proto__", long.slice(0, 600), "'%20OR%201=1"])(
  "a run named %s is a 4xx",
  async (name) => {
    const answer = await call(url, "GET", `/v1/runs/${name}`);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  },
);

test("a duration larger than the database's integers is a 422, not a fault of ours", async () => {
  const started = await call(url, "POST", "/v1/execute", { agent_id, version: "current" }, { prefer: "respond-async" });
  const answer = await call(url, "POST", `/v1/runs/${String(started.body["id"])}/complete`, {
    duration_ms: 3_000_000_000_000,
  });
  expect(answer.status).toBe(422);
});
