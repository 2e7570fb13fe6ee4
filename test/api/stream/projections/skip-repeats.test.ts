import { expect, test } from "vitest";
import { skipRepeats } from "../../../../api/stream/projections/skip-repeats.ts";
import type { RunEvent } from "../../../../shared/schemas/run-event.ts";

/** What a machine behind the filter is given, in short. */
function play(events: object[]): string[] {
  const given: string[] = [];
  const machine = skipRepeats({
    push(event) {
      given.push(told(event));
      return [];
    },
    end: () => [],
  });
  events.forEach((event, index) =>
    machine.push({ run_id: "r", attempt: 1, seq: index + 1, ts: "2026-11-21T10:00:00.000Z", ...event } as RunEvent),
  );
  return given;
}

function told(event: RunEvent): string {
  if (event.type === "output.delta") return typeof event.content === "string" ? `"${event.content}"` : "data";
  if (event.type === "tool.start") return `call ${event.call_id} ${event.name}`;
  if (event.type === "tool.end") return `result ${event.call_id} ${String(event.result)}`;
  if (event.type === "run.started") return event.discards ? `void ${event.discards.reason}` : "start";
  return event.type;
}

const started = { type: "run.started" };
const again = (reason: string) => ({ type: "run.started", discards: { attempt: 1, reason } });
const say = (content: unknown) => ({ type: "output.delta", content });
const call = (call_id: string, name = "search") => ({ type: "tool.start", call_id, name, args: { q: 1 } });
const result = (call_id: string, given: unknown) => ({ type: "tool.end", call_id, result: given, error: null });
const asked = { type: "run.interrupted" };

test("what an answered run says again is skipped, however its text is cut into events", () => {
  const events = [started, say("One "), say("moment. "), asked, again("resumed"), say("One moment"), say(". Hello.")];
  expect(play(events)).toEqual(["start", '"One "', '"moment. "', "run.interrupted", "start", '"Hello."']);
});

test("a run that a lost worker had begun goes on where it was, without a word", () => {
  const events = [started, say("Hel"), again("worker_lost"), say("Hello, "), say("Ada")];
  expect(play(events)).toEqual(["start", '"Hel"', '"lo, "', '"Ada"']);
});

test("a tool that is used again is shown once; another result belongs to the call that is known", () => {
  const first = [started, call("a"), result("a", 1), asked];
  expect(play([...first, again("resumed"), call("b"), result("b", 1), say("done")])).toEqual([
    "start",
    "call a search",
    "result a 1",
    "run.interrupted",
    "start",
    '"done"',
  ]);
});

test("at the first difference the restart is told, and the new attempt comes from its beginning", () => {
  const first = [started, say("One. "), call("a"), result("a", 1), say("Two."), asked];
  const second = [again("resumed"), say("One. "), call("b"), result("b", 2), say("Three.")];
  expect(play([...first, ...second]).slice(6)).toEqual([
    "start",
    "void resumed",
    '"One. "',
    "call b search",
    "result b 2",
    '"Three."',
  ]);
});

test("a text that differs in its middle is told anew, and a third attempt is compared with the second", () => {
  const first = [started, say("Hello, Bob"), again("worker_lost"), say("Hello, "), say("Ada")];
  expect(play(first)).toEqual(["start", '"Hello, Bob"', "void worker_lost", '"Hello, "', '"Ada"']);
  expect(play([...first, again("worker_lost"), say("Hello, Ada!")]).slice(5)).toEqual(['"!"']);
});

test("a run that said very much is not compared: its restart is told at once", () => {
  const events = [started, say("x".repeat(300_000)), again("worker_lost"), say("y")];
  expect(play(events).slice(2)).toEqual(["void worker_lost", '"y"']);
});
