import { afterAll, expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { openReceiver } from "../harness/receiver.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { openTraceCollector, type SentSpan } from "../harness/trace-collector.ts";
import { waitFor } from "../harness/wait-for.ts";

/** Whoever traces sees a run's whole way, from the client to its callback, as one trace. */
const stack = await useTestStack();
const collector = await openTraceCollector();
const receiver = await openReceiver();
afterAll(() => Promise.all([collector.close(), receiver.close()]));
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, LOG_LEVEL: "info" };
const { url, api, worker } = await stack.startMembers({ api: traced, worker: traced });

const client = { trace: "a1".repeat(16), span: "b2".repeat(8) };
const agent = py`
  import os
  from runfleet import context
  tries = 0
  def main(input):
      if input.get('fail'):
          raise ValueError('as asked')
      with context.tool('search', {'q': input['word']}) as call:
          call.result = {'hits': input['word']}
      context.usage(input_tokens=7, output_tokens=5)
      yield input['word']
      return {'parent': os.environ.get('TRACEPARENT')}
`;

const traceparent = (flags: string): string => `00-${client.trace}-${client.span}-${flags}`;

async function play(input_payload: Record<string, unknown>, flags: string | null) {
  const agent_id = await makeAgent(url, agent, { retry: { max_attempts: 2, delay_ms: 1 } });
  const response = await execute(
    url,
    { agent_id, version: "current", input_payload, completion_callback_url: `${receiver.url}/done` },
    flags === null ? {} : { traceparent: traceparent(flags) },
  );
  const id = response.headers.get("x-run-id") ?? "";
  const last = (await readEvents(response)).at(-1);
  const { rows } = await stack.sql.query("SELECT traceparent FROM runs WHERE id = $1", [id]);
  const callback = await waitFor(async () => receiver.got.find(({ body }) => body["run_id"] === id));
  const said = last?.data["result_content"] as { parent: string | null } | undefined;
  return {
    id,
    agent_id,
    parent: said?.parent ?? null,
    callback: callback.headers["traceparent"] ?? null,
    request: String(rows[0]?.traceparent).split("-")[2],
  };
}

test("a run's way is one trace: its client's, its agent's and its callback's spans are at their places in it", async () => {
  const [good, bad, unsampled] = await Promise.all([
    play({ word: "private-word" }, "01"),
    play({ fail: true }, null),
    play({ word: "unsampled" }, "00"),
  ]);
  expect((await call(url, "GET", "/v1/agents/none")).status).toBe(404);
  await Promise.all(["/health/live", "/metrics"].map((path) => fetch(url + path)));
  await Promise.all([api.stop(), worker.stop()]);

  const of = (id: string) => collector.spans().filter(({ attributes }) => attributes["runfleet.run.id"] === id);
  const only = (spans: SentSpan[], name: string): SentSpan => {
    const found = spans.filter((span) => span.name === name);
    expect([name, found.length]).toEqual([name, 1]);
    return found[0] as SentSpan;
  };
  const request = only(
    collector.spans().filter(({ id }) => good.request === id),
    "POST /v1/execute",
  );
  // A worker that lost its lease on a busy machine has an attempt of its own in the trace.
  const attempt = of(good.id).find(({ attributes }) => attributes["runfleet.ending"] === "success");
  if (!attempt) throw new Error("The attempt has no span.");
  const nth = attempt.attributes["runfleet.attempt"];
  const below = collector.spans().filter(({ parent }) => parent === attempt.id);
  const beside = of(good.id).filter(({ attributes }) => [nth, undefined].includes(attributes["runfleet.attempt"]));
  expect(request).toMatchObject({ parent: client.span, service: "runfleet-api", kind: 2, isFailed: false });
  expect(attempt).toMatchObject({ parent: request.id, service: "runfleet-worker", events: ["first_output"] });
  for (const name of ["accept", "nudge", "queue", "claim", "callback"])
    expect([name, only(beside, name).parent]).toEqual([name, request.id]);
  // Each step begins where the one before has ended.
  const steps = [
    ...["queue", "claim"].map((name) => only(beside, name)),
    ...["sandbox", "run", "finalize", "announce"].map((name) => only(below, name)),
  ];
  for (const [index, { from, to, name }] of steps.entries()) {
    expect([name, to >= from]).toEqual([name, true]);
    const next = steps[index + 1];
    if (next) expect([next.name, Math.abs(next.from - to) < 5]).toEqual([next.name, true]);
  }
  expect(attempt.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.id": good.agent_id,
    "gen_ai.usage.input_tokens": 7,
    "gen_ai.usage.output_tokens": 5,
  });
  expect(only(below, "execute_tool search").attributes).toMatchObject({ "gen_ai.tool.name": "search" });
  expect(good.parent).toBe(`00-${client.trace}-${attempt.id}-01`);
  expect(good.callback).toBe(`00-${client.trace}-${only(beside, "callback").id}-01`);

  // The failed run has its attempts in one trace, with what became of each.
  const attempts = of(bad.id).filter(({ name }) => name.startsWith("invoke_agent"));
  const endings = attempts.map(({ attributes }) => attributes["runfleet.ending"]);
  expect(endings).toEqual(expect.arrayContaining(["retry", "error"]));
  expect(attempts.filter(({ isFailed }) => isFailed)).toHaveLength(2);
  expect(new Set(of(bad.id).map(({ trace }) => trace)).size).toBe(1);

  // A request that starts no run is a span as well, a probe is none.
  const named = new Map(collector.spans().map((span) => [span.name, span]));
  expect(named.get("GET /v1/agents/{agent_id}")).toMatchObject({
    attributes: { "http.response.status_code": 404 },
    isFailed: false,
  });
  expect([...named.keys()].filter((name) => /health|metrics/.test(name))).toEqual([]);

  expect(of(unsampled.id)).toEqual([]);
  expect(unsampled.parent).toMatch(new RegExp(`^00-${client.trace}-[0-9a-f]{16}-00$`));
  expect(collector.got.map(({ text }) => text).join("")).not.toMatch(/private-word|as asked/);
  // Logs are found by the trace.
  for (const member of [api, worker]) expect(member.logged()).toContain(`"trace_id":"${client.trace}"`);
});
