import { expect, test } from "vitest";
import { translateRun } from "../../../api/protocols/a2a/translate-run.ts";
import { valuesAfter, valuesOf } from "../../../api/protocols/langgraph/thread-values.ts";
import { translateCall } from "../../../api/protocols/mcp/translate-call.ts";
import type { RunEvent } from "../../../shared/schemas/run-event.ts";

/** One thread of an API process translates all its runs: what takes long for one of them stops the others. */

/** Returns the processor's milliseconds that `act` takes; what a busy machine adds is not in them. */
function cost(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const eventsOf = (count: number, make: (n: number) => object): RunEvent[] =>
  Array.from({ length: count }, (_, n) => ({ run_id: "r", attempt: 1, seq: n + 2, ts: "", ...make(n) }) as RunEvent);
const data = eventsOf(100_000, (n) => ({ type: "output.delta", content: { n } }));
const words = eventsOf(100_000, () => ({ type: "output.delta", content: "word " }));
const files = eventsOf(50_000, (n) => ({
  type: "artifact",
  name: `f${n}`,
  mime: "a/b",
  size: 1,
  url: `/${n}`,
  sha256: "",
}));

test("a tool call with a hundred thousand outputs is translated in a time that grows with them", () => {
  const opening = { run_id: "r", rpc_id: 1, progress_token: null, canAsk: true, answered: new Set<string>(), base: "" };
  for (const events of [data, words, files]) {
    const translation = translateCall(opening);
    expect(cost(() => events.forEach((event) => translation.push(event)))).toBeLessThan(3_000);
  }
});

test("a task with tens of thousands of artifacts is translated in a time that grows with them", () => {
  const said = { input: null, answers: new Map() };
  const translation = translateRun({ taskId: "r", contextId: "c", said, base: "" });
  expect(cost(() => files.forEach((event) => translation.push(event)))).toBeLessThan(3_000);
  translation.push({ ...files[0], url: "/again" } as RunEvent);
  const { artifacts = [] } = translation.task();
  expect(artifacts).toHaveLength(files.length);
  expect(artifacts[0]?.parts).toMatchObject([{ url: "/again" }]);
});

test("a thread's values, and those after each of its runs, are made in a time that grows with its messages", () => {
  const runs = 500;
  const at = (n: number): Date => new Date(1_700_000_000_000 + n * 1000);
  const said = (n: number) =>
    Array.from({ length: 20 }, (_, part) => ({ id: `r${n}-1-${part}`, type: "ai", content: `${n}.${part}` }));
  const turns = Array.from({ length: runs }, (_, n) => [
    { role: "user", content: { messages: [{ role: "user", content: `ask ${n}` }] } },
    { role: "assistant", content: { n } },
  ]).flatMap((pair, n) => pair.map((turn) => ({ ...turn, thread_id: "t", run_id: `r${n}`, created_at: at(n) })));
  const outputs = new Map(Array.from({ length: runs }, (_, n) => [`r${n}`, { said: said(n), result: { n } }]));
  const view = { turns, outputs };
  expect(cost(() => valuesOf(view, null))).toBeLessThan(1_500);
  const states = Array.from({ length: 100 }, (_, n) => {
    const id = `r${runs - 1 - n}`;
    const time = at(runs - 1 - n).toISOString();
    return {
      id,
      run_id: id,
      object: "thread_state",
      thread_id: "t",
      status: "success",
      state_snapshot: null,
      created_at: time,
      completed_at: time,
    } as const;
  });
  expect(cost(() => valuesAfter(view, states))).toBeLessThan(2_500);
  const after = valuesAfter(view, states);
  for (const n of [runs - 1, runs - 100]) {
    const until = valuesOf({ turns: turns.slice(0, 2 * n + 2), outputs }, null);
    expect(after.get(`r${n}`)).toEqual(until);
    expect(until).toMatchObject({ n, messages: { length: (n + 1) * 21 } });
  }
});
