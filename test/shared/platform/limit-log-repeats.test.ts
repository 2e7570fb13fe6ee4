import { Writable } from "node:stream";
import { pino } from "pino";
import { expect, test } from "vitest";
import { limitRepeats } from "../../../shared/platform/limit-log-repeats.ts";

/** A log whose clock the test turns, and its lines. */
function openLog() {
  const lines: Record<string, unknown>[] = [];
  const clock = { ms: 0 };
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const log = pino(
    { level: "info", base: null, timestamp: false, hooks: { logMethod: limitRepeats(() => clock.ms) } },
    stream,
  );
  return { log, lines, clock };
}

test("of a fault that repeats, ten lines a minute are written, and then how many more there were", () => {
  const { log, lines, clock } = openLog();
  for (let i = 0; i < 25; i += 1)
    log.warn({ part: "tail", err: `Command timed out after ${i} ms` }, "connection fault");
  log.warn({ part: "messages", err: "Command timed out after 3 ms" }, "connection fault");
  expect(lines).toHaveLength(11);
  clock.ms = 60_000;
  log.warn("another one");
  expect(lines.slice(11)).toEqual([
    { level: 40, part: "tail", err: "Command timed out after 0 ms", repeats: 15, msg: "connection fault" },
    { level: 40, msg: "another one" },
  ]);
  for (let i = 0; i < 12; i += 1) log.warn({ part: "tail", err: "Command timed out after 1 ms" }, "connection fault");
  expect(lines).toHaveLength(23);
});

test("lines of information, of different runs, and those of a child log are told apart", () => {
  const { log, lines } = openLog();
  for (let i = 0; i < 30; i += 1) log.info("an attempt ended");
  for (const run_id of ["run_a1", "run_b2", "run_c3"])
    for (let i = 0; i < 10; i += 1) log.child({}).error({ run_id }, "an attempt was lost here");
  expect(lines).toHaveLength(60);
  log.error({ run_id: "run_a1" }, "an attempt was lost here");
  expect(lines).toHaveLength(60);
});
