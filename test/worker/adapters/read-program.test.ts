import { Script } from "node:vm";
import { expect, test } from "vitest";
import { readProgram } from "../../../worker/adapters/node/read-program.ts";

// MAX_ARG_STRLEN of Linux, without the byte at its end.
const mostBytes = 128 * 1024 - 1;

test.each(["build", "once", "daemon"] as const)("the program '%s' is an argument that Linux takes", (name) => {
  const program = readProgram(name);
  expect(() => new Script(program)).not.toThrow();
  expect(Buffer.byteLength(program)).toBeLessThanOrEqual(mostBytes - 16 * 1024);
});
