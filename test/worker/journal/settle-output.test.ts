import { expect, test } from "vitest";
import { retainedEventsOf } from "../../../worker/journal/read-replay-state.ts";
import { createLedger, mergeRanges } from "../../../worker/journal/settle-output.ts";

test("only what is complete settles, and only once", () => {
  const ledger = createLedger();
  ledger.say(null, 1, false);
  ledger.say("main@0", 2, true);
  ledger.say("other@0", 3, true);
  ledger.say("main@0", 4, true);
  expect(ledger.settle()).toEqual({ segments: [], events: [[1, 1]], outputs: false, isSaid: false });
  ledger.close(["main@0", "unknown@7"]);
  expect(ledger.settle()).toEqual({
    segments: ["main@0"],
    events: [
      [2, 2],
      [4, 4],
    ],
    outputs: true,
    isSaid: true,
  });
  expect(ledger.settle().events).toEqual([]);
  ledger.close(["other@0"]);
  expect(ledger.settle().events).toEqual([[3, 3]]);
});

test("what a failed try has said is void, and never settles", () => {
  const ledger = createLedger();
  ledger.say("step~1", 2, true);
  ledger.say("step~1", 3, true);
  expect(ledger.drop("step~1")).toEqual([[2, 3]]);
  ledger.close(["step~1"]);
  expect(ledger.settle().events).toEqual([]);
});

test("ranges that touch become one", () => {
  expect(
    mergeRanges([
      [5, 6],
      [1, 2],
      [3, 3],
      [6, 9],
    ]),
  ).toEqual([
    [1, 3],
    [5, 9],
  ]);
});

test("a later attempt says up to where the one before stands, and what before that does not", () => {
  const events = new Map<number, [number, number][]>([
    [
      2,
      [
        [1, 3],
        [6, 8],
      ],
    ],
  ]);
  expect(retainedEventsOf({ events, continued: null }, 3)).toEqual({
    keeps: "2-8",
    voids: [
      ["1-1", "1-999999999"],
      ["2-4", "2-5"],
    ],
  });
  expect(retainedEventsOf({ events, continued: null }, 4)).toEqual({
    keeps: "3-0",
    voids: [
      ["1-1", "1-999999999"],
      ["2-4", "2-5"],
      ["2-9", "2-999999999"],
    ],
  });
  expect(retainedEventsOf({ events: new Map(), continued: null }, 2)).toBeNull();
  const continued = { attempt: 2, leg: "+2", answers: 0, count: 1, last_seq: 9 };
  expect(retainedEventsOf({ events: new Map(), continued }, 3)).toEqual({ keeps: "2-9", voids: [] });
  const voids = [["3-1", "3-999999999"]];
  expect(retainedEventsOf({ events: new Map([[4, [[1, 5]]]]), continued }, 5)).toEqual({ keeps: "4-5", voids });
});
