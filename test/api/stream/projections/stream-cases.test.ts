import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { restateStanding, skipRepeats } from "../../../../api/stream/projections/skip-repeats.ts";
import { parseEventId } from "../../../../shared/domain/run/event-id.ts";
import { voidedBy } from "../../../../shared/domain/run/void-events.ts";
import type { RunEvent } from "../../../../shared/schemas/run-event.ts";

/** What clients of every language have to show of the same streams: `shown` is the run's text, as it stands at the end. */
type Case = { name: string; events: { id: string; type: string }[]; shown: string };

const eventsOf = ({ events }: Case): RunEvent[] =>
  events.map(({ id, ...event }) => ({ ...parseEventId(id), run_id: "r", ts: "", ...event }) as unknown as RunEvent);

/** As README tells clients to do it. */
function showNatively(events: RunEvent[]): string {
  let said: RunEvent[] = [];
  for (const event of events) {
    if (event.type === "run.started" || event.type === "step.retrying") {
      const isVoid = voidedBy(event);
      said = said.filter((earlier) => !isVoid(earlier));
    }
    if (event.type === "output.delta") said.push(event);
  }
  return said.map((event) => (event.type === "output.delta" ? String(event.content) : "")).join("");
}

/** A machine of a format that knows void attempts only: its text begins anew with each. */
function createMachine() {
  let text = "";
  const push = (event: RunEvent): string[] => {
    if (event.type === "run.started" && event.discards) text = "";
    if (event.type === "output.delta") text += String(event.content);
    return [];
  };
  return { push, end: () => [], text: () => text };
}

const cases = JSON.parse(readFileSync(join(import.meta.dirname, "stream-cases.json"), "utf8")) as Case[];

for (const one of cases) {
  test(`${one.name}: a client shows what stands`, () => {
    expect(showNatively(eventsOf(one))).toBe(one.shown);
  });
  test(`${one.name}: a format gets what stands`, () => {
    const machine = createMachine();
    const push = restateStanding(machine.push);
    for (const event of eventsOf(one)) push(event);
    expect(machine.text()).toBe(one.shown);
  });
  test(`${one.name}: a protocol gets each thing once`, () => {
    const machine = createMachine();
    const filtered = skipRepeats(machine);
    for (const event of eventsOf(one)) filtered.push(event);
    expect(machine.text()).toBe(one.shown);
  });
}
