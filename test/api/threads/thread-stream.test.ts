import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { call, makeAgent, readEvents, type SentEvent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

/** The stream of a thread is that of all its runs, one after the other. */

const stack = await useTestStack();
const [{ url: here, api }, { url: there }] = await Promise.all([stack.startService(), stack.openApi()]);

const talker = await makeAgent(
  here,
  "def main(input):\n    for n in range(3): yield f'{input.get(\"n\")}-{n} '\n    return {}",
);
const asker = await makeAgent(here, readFileSync(new URL("../../agents/asker.py", import.meta.url), "utf8"));

const start = async (agent_id: string, thread_id: string, more: Record<string, unknown> = {}): Promise<string> => {
  const request = { agent_id, version: "current", thread_id, ...more };
  const { status, body } = await call(here, "POST", "/v1/execute", request, { prefer: "respond-async" });
  if (status !== 202) throw new Error(JSON.stringify(body));
  return String(body["id"]);
};
const say = (thread_id: string, n: number, more: Record<string, unknown> = {}) =>
  start(talker, thread_id, { input_payload: { n }, ...more });
const open = (url: string, thread_id: string, after?: string): Promise<Response> =>
  fetch(`${url}/v1/threads/${thread_id}/stream`, { headers: after === undefined ? {} : { "last-event-id": after } });
/** Reads until so many runs have ended. */
async function readRuns(response: Response, count: number): Promise<SentEvent[]> {
  let ended = 0;
  return readEvents(response, ({ event }) => event === "run.success" && (ended += 1) === count);
}
const runsIn = (events: SentEvent[]): unknown[] => [...new Set(events.map(({ data }) => data["run_id"]))];
const saidIn = (events: SentEvent[]): string =>
  events.flatMap(({ event, data }) => (event === "output.delta" ? [data["content"]] : [])).join("");

test("a reader gets the runs that were and those that come, in order, each event once", async () => {
  const ids = [await say("talk", 1), await say("talk", 2)];
  const reading = readRuns(await open(here, "talk"), 4);
  ids.push(await say("talk", 3), await say("talk", 4));
  const events = await reading;
  expect(runsIn(events)).toEqual(ids);
  expect(saidIn(events)).toBe([1, 2, 3, 4].map((n) => `${n}-0 ${n}-1 ${n}-2 `).join(""));
  for (const id of ids) {
    const own = await call(here, "GET", `/v1/runs/${id}/events`);
    const seen = events.filter(({ data }) => data["run_id"] === id).map(({ data }) => [data["attempt"], data["seq"]]);
    expect(seen).toEqual((own.body["data"] as Record<string, unknown>[]).map(({ attempt, seq }) => [attempt, seq]));
  }
  expect(events[0]?.id).toBe(`${ids[0]}/0-1`);
});

test("a cut at any event is resumed at any API process without a gap or a repeat", async () => {
  for (const n of [1, 2, 3]) await say("cut", n);
  const whole = await readRuns(await open(here, "cut"), 3);
  const ids = whole.map(({ id }) => id);
  for (const [at, id] of ids.entries()) {
    const left = ids.length - 1 - at;
    if (left === 0) continue;
    const rest: string[] = [];
    await readEvents(await open(at % 2 ? here : there, "cut", id), (event) => rest.push(event.id) === left);
    expect(rest).toEqual(ids.slice(at + 1));
  }
  // After the last event the stream waits for the next run.
  const reading = readRuns(await open(there, "cut", ids.at(-1)), 1);
  const next = await say("cut", 9);
  expect(runsIn(await reading)).toEqual([next]);
});

test("a delayed run comes when it is due, behind the runs that came before", async () => {
  const late = await say("late", 1, { delay_ms: 3_600_000 });
  const first = await say("late", 2);
  await stack.sql.query("UPDATE runs SET scheduled_at = now(), due_at = now() WHERE id = $1", [late]);
  const events = await readRuns(await open(here, "late"), 2);
  expect(runsIn(events)).toEqual([first, late]);
});

test("a delayed run that is cancelled hides none of the runs before its time", async () => {
  const late = await say("dropped", 1, { delay_ms: 3_600_000 });
  expect((await call(here, "POST", `/v1/runs/${late}/cancel`)).body["status"]).toBe("cancelled");
  const first = await say("dropped", 2);
  const [told] = await readRuns(await open(here, "dropped"), 1);
  expect(told?.data["run_id"]).toBe(first);
  // A reader that goes on behind the first run is told of the second, and of the cancelled one at its time.
  const seen: SentEvent[] = [];
  const enough = ({ event }: SentEvent): boolean => event === "run.cancelled";
  const reading = readEvents(await open(here, "dropped", told?.id), (event) => {
    seen.push(event);
    return enough(event);
  });
  const second = await say("dropped", 3);
  await waitFor(() => seen.some(({ event, data }) => event === "run.success" && data["run_id"] === second));
  await stack.sql.query("UPDATE runs SET due_at = now() WHERE id = $1", [late]);
  await reading;
  expect(runsIn(seen)).toEqual([first, second, late]);
});

test("a run that asks holds the stream until it is answered", async () => {
  const asking = await start(asker, "asked");
  const response = await open(here, "asked");
  const events: SentEvent[] = [];
  const reading = readEvents(response, (event) => {
    events.push(event);
    return event.event === "run.success" && event.data["run_id"] !== asking;
  });
  for (const [asked, answer] of ["Ada", true].entries()) {
    await waitFor(() => events.filter(({ event }) => event === "run.interrupted").length === asked + 1);
    const answered = await call(
      here,
      "POST",
      `/v1/runs/${asking}/resume`,
      { response: answer },
      { prefer: "respond-async" },
    );
    expect(answered.status).toBe(202);
  }
  const next = await say("asked", 2);
  await reading;
  expect(runsIn(events)).toEqual([asking, next]);
  expect(events.findIndex(({ event }) => event === "run.success")).toBeLessThan(
    events.findIndex(({ data }) => data["run_id"] === next),
  );
});

test("an id that is none of the thread's events is refused; an unknown thread is 404", async () => {
  const id = await say("odd", 1);
  await readRuns(await open(here, "odd"), 1);
  for (const after of ["1-1", `${id}/1`, `${id}/x-1`, "other/1-1", `/1-1`]) {
    const response = await open(here, "odd", after);
    expect([after, response.status, ((await response.json()) as { code: string }).code]).toEqual([
      after,
      400,
      "bad_event_id",
    ]);
  }
  expect((await open(here, "nothing")).status).toBe(404);
});

test("an API that leaves ends the stream, and the reader goes on at another one", async () => {
  await say("leaving", 1);
  const events: SentEvent[] = [];
  const reading = readEvents(await open(here, "leaving"), (event) => events.push(event) === 0);
  await waitFor(() => events.at(-1)?.event === "run.success");
  await api.close();
  await reading;
  const resumed = await open(there, "leaving", events.at(-1)?.id);
  const request = { agent_id: talker, version: "current", thread_id: "leaving", input_payload: { n: 2 } };
  const next = await call(there, "POST", "/v1/execute", request, { prefer: "respond-async" });
  expect(runsIn(await readRuns(resumed, 1))).toEqual([next.body["id"]]);
});
