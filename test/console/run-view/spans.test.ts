import { expect, test } from "vitest";
import { spansOf } from "../../../console/run-view/spans.ts";
import { makeTimeScale } from "../../../console/run-view/time-scale.ts";
import type { RunEvent } from "../../../sdk/ts/index.ts";

const began = Date.UTC(2026, 0, 1);
/** Events with their time in seconds; what a span doesn't read is left out. */
const events = (...given: ({ at: number; type: RunEvent["type"] } & Record<string, unknown>)[]): RunEvent[] =>
  given.map(
    ({ at, ...event }, index) =>
      ({ attempt: 1, seq: index + 1, ts: new Date(began + at * 1_000).toISOString(), ...event }) as unknown as RunEvent,
  );
const started = (at: number, attempt: number, more: object = {}) => ({
  type: "run.started" as const,
  at,
  attempt,
  warm: true,
  sandbox: { level: 3, name: "ns", layers: [] },
  ...more,
});
const shape = (given: RunEvent[]): unknown[] =>
  spansOf(given).map(({ kind, name, start, end, isFailed }) => [
    kind,
    name,
    (start - began) / 1_000,
    end === null ? null : (end - began) / 1_000,
    isFailed,
  ]);
const queue = { position: null, wait_reason: null };

test("a retry: the void attempt, its wait and its tools are spans of their own", () => {
  const given = events(
    { type: "run.queued", at: 0, attempt: 0, queue },
    started(1, 1),
    { type: "tool.start", at: 2, call_id: "c1", name: "search", args: {} },
    { type: "tool.end", at: 3, call_id: "c1", error: "no answer", duration_ms: null },
    { type: "tool.start", at: 3, call_id: "c2", name: "open", args: {} },
    { type: "run.waiting", at: 4, queue: { ...queue, wait_reason: "retry" } },
    started(5, 2, { discards: { attempt: 1, reason: "retry" } }),
  );
  expect(shape(given)).toEqual([
    ["queue", "queued", 0, 1, false],
    ["void", "attempt 1", 1, 4, false],
    ["tool", "search", 2, 3, true],
    ["tool", "open", 3, 4, false],
    ["queue", "waiting", 4, 5, false],
    ["attempt", "attempt 2", 5, null, false],
  ]);
});

test("a run was queued for as long as its record says, not while it was committed or made ready", () => {
  const given = events({ type: "run.queued", at: 0, attempt: 0, queue }, started(2, 1));
  const run = { started_at: new Date(began + 500).toISOString(), queue_ms: 300 };
  const times = spansOf(given, run).map(({ kind, start, end }) => [kind, start, end]);
  expect(times).toEqual([
    ["queue", began + 200, began + 500],
    ["attempt", began + 500, null],
  ]);
});

test("what comes with the same time as its end began as long before as it says", () => {
  const given = events(
    started(0, 1),
    { type: "tool.start", at: 2, call_id: "c1", name: "search", args: {} },
    { type: "tool.end", at: 2, call_id: "c1", error: null, duration_ms: 1_500 },
  );
  expect(shape(given)[1]).toEqual(["tool", "search", 0.5, 2, false]);
});

test("a durable run: steps, and a wait that goes on while there is no process", () => {
  const given = events(
    started(0, 1),
    { type: "step.start", at: 0, key: "a", name: "charge", try: 1 },
    { type: "step.end", at: 1, key: "a", ok: true, duration_ms: 1_000 },
    { type: "wait.opened", at: 1, key: "w", kind: "timer", name: "sleep" },
    { type: "run.suspended", at: 2, waits: [] },
    started(60, 2, { keeps: "1-5", reason: "timer" }),
    { type: "wait.ended", at: 60, key: "w", by: "timer" },
    { type: "run.success", at: 61, status: "success" },
  );
  expect(shape(given)).toEqual([
    ["attempt", "attempt 1", 0, 2, false],
    ["step", "charge", 0, 1, false],
    ["wait", "sleep", 1, 60, false],
    ["wait", "suspended", 2, 60, false],
    ["attempt", "attempt 2", 60, 61, false],
  ]);
});

test("a question is a span until the run goes on, and a run that ends leaves nothing open", () => {
  const given = events(
    started(0, 1),
    { type: "run.interrupted", at: 1, interrupts: [{ id: "i", reason: "input", message: "May I?" }] },
    started(9, 2),
    { type: "run.cancelled", at: 10, status: "cancelled" },
  );
  expect(shape(given)).toEqual([
    ["attempt", "attempt 1", 0, 1, false],
    ["question", "asks a person", 1, 9, false],
    ["attempt", "attempt 2", 9, 10, false],
  ]);
});

test("a time scale is even; a night in which nothing happened takes a little of it", () => {
  const even = makeTimeScale([0, 1_000, 4_000]);
  expect([0, 1_000, 2_000, 4_000].map((time) => even.at(time))).toEqual([0, 0.25, 0.5, 1]);
  expect(even.breaks).toEqual([]);
  const night = 8 * 3_600_000;
  const broken = makeTimeScale([0, 1_000, 1_000 + night, 2_000 + night]);
  expect(broken.breaks.map(({ ms }) => ms)).toEqual([night]);
  expect(broken.at(1_000)).toBeCloseTo(0.47);
  expect(broken.at(1_000 + night)).toBeCloseTo(0.53);
  expect(broken.at(2_000 + night)).toBeCloseTo(1);
  expect(makeTimeScale([5]).at(5)).toBe(0);
  const onlyWaits = makeTimeScale([0, night]);
  expect(onlyWaits.at(night / 2)).toBeCloseTo(0.5);
});
