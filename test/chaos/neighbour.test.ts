import { expect, inject, test } from "vitest";
import { runNeighbour } from "../../chaos/neighbour/run-neighbour.ts";

/** The whole of it, with its limits on the neighbour's times, is `npm run neighbour`. Another day, other attacks. */
const seed = Number(new Date().toISOString().slice(0, 10).replaceAll("-", ""));

test(`hostile runs beside another owner's cost that owner no run and no attempt, and end no process (seed ${seed})`, async () => {
  const options = { seed, attacks: 2, seconds: 2, only: "" };
  const { quiet, attacks, faults } = await runNeighbour(options, new AbortController().signal, inject("commands"));
  expect(quiet.failures).toEqual([]);
  expect(attacks).toHaveLength(options.attacks);
  expect(attacks.map(({ attack, faults: found }) => [attack.name, found])).toEqual(
    attacks.map(({ attack }) => [attack.name, []]),
  );
  expect(attacks.every(({ beside }) => beside.runs > 0)).toBe(true);
  expect(faults).toEqual([]);
}, 120_000);
