import { expect, inject, test } from "vitest";
import { runDurable } from "../../chaos/durable/run-durable.ts";

/** The whole of it is `npm run chaos:durable`. */
test("runs with steps go on where they were, while workers are killed right after commits", async () => {
  const options = { seed: 5, runs: 12, clients: 6 };
  const { kills, restarts, faults, surprises } = await runDurable(
    options,
    new AbortController().signal,
    inject("commands"),
  );
  expect(faults).toEqual([]);
  expect(kills).toBeGreaterThan(0);
  expect(restarts).toBeGreaterThan(0);
  expect(surprises).toBe(0);
}, 120_000);
