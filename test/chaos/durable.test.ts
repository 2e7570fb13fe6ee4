import { expect, inject, test } from "vitest";
import { runDurable } from "../../chaos/durable/run-durable.ts";

/** The whole of it is `npm run chaos:durable`. This seed draws programs that ask and wait, which are suspended for certain. */
test("runs with steps and waits go on where they were, while workers are killed right after commits", async () => {
  const options = { seed: 58, runs: 6, clients: 6, slots: 2, sweep: false, seconds: 600 };
  const { kills, restarts, suspensions, faults, surprises } = await runDurable(
    options,
    new AbortController().signal,
    inject("commands"),
  );
  expect(faults).toEqual([]);
  expect(kills.places).toBeGreaterThan(0);
  expect(suspensions).toBeGreaterThan(0);
  expect(restarts).toBeGreaterThan(0);
  expect(surprises).toBe(0);
}, 300_000);
