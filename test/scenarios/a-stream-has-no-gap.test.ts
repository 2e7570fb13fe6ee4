import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, resume, type SentEvent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const counter = py`
  import time
  def main(input):
      for i in range(input['n']):
          yield i
          time.sleep(input.get('pause', 0.02))
`;

const stack = await useTestStack();
const [{ url, worker }, { url: otherUrl }] = await Promise.all([stack.startService(), stack.openApi()]);

const ids = (events: SentEvent[]): string[] => events.map((event) => event.id);

test("a client that drops after every event and resumes at the other API process misses nothing and sees nothing twice", async () => {
  const agent_id = await makeAgent(url, counter);
  const response = await execute(url, { agent_id, version: "current", input_payload: { n: 20 } });
  const runId = response.headers.get("x-run-id") ?? "";
  const seen = await readEvents(response, () => true);
  for (let turn = 0; !seen.at(-1)?.event.match(/^run\.(success|error)/); turn += 1)
    seen.push(...(await readEvents(await resume(turn % 2 ? url : otherUrl, runId, seen.at(-1)?.id), () => true)));
  expect(ids(seen)).toEqual(["0-1", ...Array.from({ length: 22 }, (_, i) => `1-${i + 1}`)]);
});

test("from every event id of an ended run the rest is the same, and after the last there is 204", async () => {
  const agent_id = await makeAgent(url, counter);
  const response = await execute(url, { agent_id, version: "current", input_payload: { n: 5, pause: 0 } });
  const runId = response.headers.get("x-run-id") ?? "";
  const all = await readEvents(response);
  for (const [i, event] of all.slice(0, -1).entries())
    expect(await readEvents(await resume(otherUrl, runId, event.id))).toEqual(all.slice(i + 1));
  expect((await resume(url, runId, all.at(-1)?.id)).status).toBe(204);
  const { body } = await call(url, "GET", `/v1/runs/${runId}/events`);
  expect((body["data"] as { id: string }[]).map((event) => event.id)).toEqual(ids(all));
});

test("Redis loses every key of ours in mid-run: the run ends, every stream ends, gapless, for those who watch and those who resume", async () => {
  const agent_id = await makeAgent(url, counter);
  const response = await execute(url, { agent_id, version: "current", input_payload: { n: 30, pause: 0.05 } });
  const runId = response.headers.get("x-run-id") ?? "";
  const watched = readEvents(response);
  await waitFor(async () => (await stack.redis.xlen(`${stack.prefix}run:${runId}`)) > 5);
  const keys = await stack.redis.keys(`${stack.prefix}*`);
  await stack.redis.del(...keys);
  const late = readEvents(await resume(otherUrl, runId, "1-2"));
  const expected = ["0-1", ...Array.from({ length: 32 }, (_, i) => `1-${i + 1}`)];
  expect(ids(await watched)).toEqual(expected);
  expect(ids(await late)).toEqual(expected.slice(3));
});

test("of a run that says much Redis keeps a part only, and a reader from its start gets everything", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def main(input):
          for i in range(400):
              yield 'x' * 20000
              time.sleep(0.03)
          time.sleep(600)
    `,
  );
  const response = await execute(url, { agent_id, version: "current" });
  const runId = response.headers.get("x-run-id") ?? "";
  const watched = readEvents(response);
  const first = async (): Promise<string | undefined> =>
    (await stack.redis.xrange(`${stack.prefix}run:${runId}`, "-", "+", "COUNT", 1))[0]?.[0];
  await waitFor(async () => ![undefined, "1-1"].includes(await first()), 60_000);
  const late = readEvents(await resume(otherUrl, runId));
  await call(url, "POST", `/v1/runs/${runId}/cancel`);
  const seen = ids(await watched);
  expect(seen).toEqual(["0-1", ...Array.from({ length: seen.length - 1 }, (_, i) => `1-${i + 1}`)]);
  expect(ids(await late)).toEqual(seen);
});

test("a malformed event id is a 400, one of the future waits for the run's end", async () => {
  const agent_id = await makeAgent(url, counter);
  const response = await execute(url, { agent_id, version: "current", input_payload: { n: 1, pause: 0 } });
  const runId = response.headers.get("x-run-id") ?? "";
  await readEvents(response);
  for (const bad of ["x", "-1-1", "1", "1-1-1", "1-99999999999999999999", "1-1' OR 1=1"])
    expect([bad, (await resume(url, runId, bad)).status]).toEqual([bad, 400]);
  expect((await resume(url, runId, "7-7")).status).toBe(204);
});

test("a reader that doesn't read costs the others nothing", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      def main(input):
          for i in range(3000):
              yield 'x' * 2000
    `,
  );
  const response = await execute(url, { agent_id, version: "current" });
  const runId = response.headers.get("x-run-id") ?? "";
  const idle = await resume(url, runId);
  const events = await readEvents(response);
  expect(events.at(-1)?.event).toBe("run.success");
  expect(events.filter((event) => event.event === "output.delta")).toHaveLength(3000);
  const afterwards = await readEvents(idle);
  expect(ids(afterwards)).toEqual(ids(events));
});

test("what a run has written piece by piece is one piece after its end, and is read the same from every event on", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      from runfleet import context
      def main(input):
          for i in range(6):
              print("working on", i, "\\u0000 \\ud83d\\ude00")
              context.step(f"part {i}", lambda: i)
          return "whole"
    `,
  );
  const response = await execute(url, { agent_id, version: "current" });
  const runId = response.headers.get("x-run-id") ?? "";
  const all = await readEvents(response);
  expect(all.at(-1)?.event).toBe("run.success");
  // A worker that leaves does at once what it does every five seconds.
  await worker.close();
  const { rows } = await stack.sql.query(
    "SELECT attempt, first_seq, last_seq FROM transcript_chunks WHERE run_id = $1 ORDER BY attempt, first_seq",
    [runId],
  );
  expect(rows.map(({ attempt, first_seq, last_seq }) => [attempt, first_seq, last_seq])).toEqual([
    [0, 1, 1],
    [1, 1, all.length - 1],
  ]);
  const { body } = await call(url, "GET", `/v1/runs/${runId}/events?limit=1000`);
  expect((body["data"] as { id: string }[]).map((event) => event.id)).toEqual(ids(all));
  await stack.redis.del(`${stack.prefix}run:${runId}`);
  for (const [i, event] of all.slice(0, -1).entries())
    expect(await readEvents(await resume(otherUrl, runId, event.id))).toEqual(all.slice(i + 1));
});
