import { expect, test } from "vitest";
import { type ErrorTraits, traitsOf, frameOf, patternOf } from "../../../../shared/domain/run/error-fingerprint.ts";

test.each([
  ["invoice 17 is 12.50 over", "invoice # is # over"],
  ["no user 019aa5f0-c1d2-7c3e-8f4b-2a6d9e0f1a2b", "no user #"],
  ["run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c is gone", "# is gone"],
  ["since 2026-11-21T10:00:00.000Z nothing came", "since # nothing came"],
  ["  first line\nsecond line 1", "first line"],
  ["KeyError: 'order'", "KeyError: 'order'"],
  ["internationalization failed", "internationalization failed"],
])("of '%s' the pattern is '%s'", (message, pattern) => {
  expect(patternOf(message)).toBe(pattern);
});

const python = (line: number): string =>
  `Traceback (most recent call last):\n  File "main.py", line ${line}, in main\n    read()\n  File "lib/read.py", line 9, in read\n    raise ValueError("no")\nValueError: no\n`;

test.each([
  [python(3), "lib/read.py in read"],
  ["Error: no\n    at read (main.mjs:4:9)\n    at main (main.mjs:9:1)", "main.mjs in read"],
  ["Error: no\n    at file:///agent/main.mjs:4:9", "/agent/main.mjs"],
  ["something else", null],
  [null, null],
])("the function that raised it is found", (traceback, frame) => {
  expect(frameOf(traceback)).toBe(frame);
});

const error: ErrorTraits = {
  agent_id: "reader",
  code: "agent_error",
  type: "ValueError",
  message: "file 17 is no PDF",
  traceback: python(3),
};

test("what differs from run to run and from version to version makes no other group; what the error is does", () => {
  const one = traitsOf(error);
  expect(traitsOf({ ...error, message: "file 4096 is no PDF", traceback: python(40) })).toBe(one);
  const others = [
    { ...error, agent_id: "writer" },
    { ...error, code: "timeout" },
    { ...error, type: "TypeError" },
    { ...error, message: "file 17 is empty" },
    { ...error, traceback: 'File "main.py", line 1, in close' },
  ];
  expect(new Set([error, ...others].map(traitsOf)).size).toBe(6);
});

test("a hostile message or traceback takes no time to read", () => {
  const began = performance.now();
  traitsOf({ ...error, message: "1_a".repeat(50_000), traceback: `    at ${"a (".repeat(20_000)}`.repeat(2) });
  traitsOf({ ...error, message: "-".repeat(100_000), traceback: '  File "'.repeat(10_000) + "\n".repeat(10_000) });
  expect(performance.now() - began).toBeLessThan(500);
});
