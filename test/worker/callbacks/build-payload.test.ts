import { expect, test } from "vitest";
import { buildPayload } from "../../../worker/callbacks/build-payload.ts";

const record = {
  id: "run_1",
  run_id: "run_1",
  object: "run",
  agent_id: "agent_1",
  version: "1.0.0",
  thread_id: null,
  status: "success",
  attempt: 1,
  input_payload: { private: "input" },
  env_names: ["TOKEN"],
  files: [{ name: "private.csv", size: 1, sha256: "00" }],
  state_snapshot: "private state",
  result_content: { answer: 42 },
  error: null,
  usage: null,
  completed_at: new Date("2026-01-02T03:04:05Z"),
  duration_ms: 12,
};

test("a callback names the run and its outcome at the top, and carries the record without what went into the run", () => {
  const { input_payload: _i, env_names: _e, files: _f, state_snapshot: _s, ...data } = record;
  const completed_at = "2026-01-02T03:04:05.000Z";
  expect(JSON.parse(buildPayload(record))).toEqual({
    type: "run.success",
    timestamp: completed_at,
    run_id: "run_1",
    thread_id: null,
    agent_id: "agent_1",
    version: "1.0.0",
    status: "success",
    result_content: { answer: 42 },
    duration_ms: 12,
    error: null,
    usage: null,
    attempt: 1,
    data: { ...data, completed_at },
  });
});

test("a result over 256 KiB is left out, and the callback says where it is", () => {
  const body = (length: number) =>
    JSON.parse(buildPayload({ ...record, result_content: { text: "x".repeat(length) } }));
  expect(body(256 * 1024 - 11)).not.toHaveProperty("result_truncated");
  expect(body(256 * 1024 - 10)).toMatchObject({
    result_content: null,
    result_truncated: true,
    result_url: "/v1/runs/run_1",
    data: { result_content: null },
  });
});
