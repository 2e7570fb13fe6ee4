import { expect, inject, test } from "vitest";
import { runChaos } from "../../chaos/run-chaos.ts";
import { timeLimit } from "../harness/time-limit.ts";

const seed = 4;

test("a stack of which every part is killed, stopped, flushed and restarted in turn keeps all its promises", async () => {
  // A slow machine has longer for as many runs.
  const options = { seed, runs: 80, minutes: timeLimit(24_000) / 60_000, clients: 12 };
  const { evidence, broken, surprises } = await runChaos(options, new AbortController().signal, inject("commands"));
  expect([...broken].filter(([, cases]) => cases.length > 0)).toEqual([]);
  expect(surprises).toBe(0);
  expect(broken.size).toBeGreaterThan(10);
  expect(new Set(evidence.struck.map(({ target }) => target)).size).toBeGreaterThan(2);
  expect(evidence.accepted.length).toBeGreaterThan(20);
}, 300_000);
