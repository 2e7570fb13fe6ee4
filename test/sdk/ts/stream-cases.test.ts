import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseEventId } from "../../../sdk/ts/event-id.ts";
import { RunText } from "../../../sdk/ts/run-text.ts";
import { type RunEvent, Transcript } from "../../../sdk/ts/index.ts";

/** What clients of every language have to show of the same streams: `shown` is the run's text, as it stands at the end. */
type Case = { name: string; events: { id: string; type: string }[]; shown: string };

const file = join(import.meta.dirname, "../../api/stream/projections/stream-cases.json");
const cases = JSON.parse(readFileSync(file, "utf8")) as Case[];

const eventsOf = ({ events }: Case): RunEvent[] =>
  events.map(({ id, ...event }) => ({ ...parseEventId(id), run_id: "r", ts: "", ...event }) as unknown as RunEvent);

/** What a terminal shows, and how often it had to begin anew. */
function speak(events: RunEvent[]): { shown: string; restarts: number } {
  const machine = new RunText();
  let [shown, restarts] = ["", 0];
  for (const { text, isAnew } of [...events.map((event) => machine.push(event)), machine.end()]) {
    if (isAnew) [shown, restarts] = ["", restarts + 1];
    shown += text;
  }
  return { shown, restarts };
}

test.each(cases)("$name: a transcript has what stands", (one) => {
  const transcript = new Transcript();
  for (const event of eventsOf(one)) transcript.push(event);
  expect(transcript.text).toBe(one.shown);
});

test.each(cases)("$name: a text has each thing once", (one) => {
  expect(speak(eventsOf(one)).shown).toBe(one.shown);
});

const said = (attempt: number, ...texts: string[]) =>
  texts.map((content, at) => ({ type: "output.delta", attempt, seq: at + 2, content }) as unknown as RunEvent);
const again = (attempt: number) =>
  ({ type: "run.started", attempt, seq: 1, discards: { attempt: attempt - 1, reason: "worker_lost" } }) as RunEvent;

test("what a run that starts again repeats is not shown again, however it is cut into events", () => {
  expect(speak([...said(1, "Hel"), again(2), ...said(2, "H", "ello, ", "Ada")])).toEqual({
    shown: "Hello, Ada",
    restarts: 0,
  });
  expect(speak([...said(1, "Hello"), again(2), ...said(2, "He"), again(3), ...said(3, "Hello!")])).toEqual({
    shown: "Hello!",
    restarts: 0,
  });
});

test("at the first difference the text begins anew; so it does when the run ends before it has repeated all", () => {
  expect(speak([...said(1, "Hello, Bob"), again(2), ...said(2, "Hello, ", "Ada")])).toEqual({
    shown: "Hello, Ada",
    restarts: 1,
  });
  expect(speak([...said(1, "Hello"), again(2), ...said(2, "Hel")])).toEqual({ shown: "Hel", restarts: 1 });
});
