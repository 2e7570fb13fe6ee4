import { expect, test } from "vitest";
import { type ListedRun, mergeChanges } from "../../../console/runs/merge-changes.ts";
import type { RunChanged, RunStatus } from "../../../sdk/ts/index.ts";

const at = (hour: number): string => new Date(Date.UTC(2026, 0, 1, hour)).toISOString();
const base = {
  ...{ agent_id: "a", version: "1", attempt: 1, input_preview: null, error: null, usage: null, queue_ms: null },
  ...{ duration_ms: null, started_at: null },
};
const row = (id: string, hour: number, more: Partial<ListedRun> = {}): ListedRun => ({
  ...{ ...base, id, status: "queued", created_at: at(hour), interrupts: [], wait_reason: null, current_status: null },
  ...more,
});
const changes = (...given: [id: string, hour: number, status: RunStatus, matches?: boolean][]) =>
  new Map(
    given.map(([id, hour, status, matches = true]): [string, RunChanged] => [
      id,
      { ...base, type: "run.changed", matches, id, status, created_at: at(hour) } as RunChanged,
    ]),
  );
const shape = (runs: ListedRun[]): string[] => runs.map(({ id, status }) => `${id} ${status}`);

test("a change stands in the row's place, what no longer matches leaves, and what is new stands where its time says", () => {
  const rows = [row("c", 5), row("b", 3), row("a", 1)];
  const told = changes(["b", 3, "running"], ["c", 5, "success", false], ["d", 4, "queued"], ["e", 6, "error"]);
  expect(shape(mergeChanges(rows, told, false))).toEqual(["e error", "d queued", "b running", "a queued"]);
});

test("a run that is older than all rows is on a page that was not read, unless there is none", () => {
  const rows = [row("b", 3)];
  const told = changes(["a", 1, "success"]);
  expect(shape(mergeChanges(rows, told, false))).toEqual(["b queued"]);
  expect(shape(mergeChanges(rows, told, true))).toEqual(["b queued", "a success"]);
  expect(shape(mergeChanges([], told, false))).toEqual(["a success"]);
});

test("what a run waited for and said is over when it moves on", () => {
  const question = { id: "i", reason: "r", message: "Sure?", response_schema: null, expires_at: at(9) };
  const rows = [
    row("b", 3, { status: "interrupted", interrupts: [question], wait_reason: "paused", current_status: "x" }),
  ];
  const [same] = mergeChanges(rows, changes(["b", 3, "interrupted"]), true);
  expect(same).toMatchObject({ interrupts: [question], wait_reason: "paused" });
  const [moved] = mergeChanges(rows, changes(["b", 3, "running"]), true);
  expect(moved).toMatchObject({ status: "running", interrupts: [], wait_reason: null, current_status: null });
});
