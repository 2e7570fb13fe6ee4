import { expect, test } from "vitest";
import { repeatInTurns } from "../../../../shared/services/maintenance/repeat-batches.ts";

const signal = new AbortController().signal;

/** Rows of a kind, of which no batch may have more than `most`. */
function rowsOf(name: string, rows: number, most: number) {
  const batches: number[] = [];
  let left = rows;
  const batch = async (limit: number): Promise<number> => {
    batches.push(limit);
    const count = Math.min(left, limit);
    if (count > most) throw new Error("Query read timeout");
    left -= count;
    return count;
  };
  return { kind: { name, batch }, batches };
}

test("a kind whose batches fail is tried with fewer rows, and keeps no other kind from its turn", async () => {
  const [heavy, light] = [rowsOf("heavy", 10, 3), rowsOf("light", 2_000, Infinity)];
  const sums = await repeatInTurns([heavy.kind, light.kind], { limit: 500, signal });
  expect(sums).toEqual({ heavy: 10, light: 2_000 });
  expect(light.batches).toContain(500);
});

test("a kind that fails with a single row is named at the end, when the others are done", async () => {
  const [broken, light] = [rowsOf("broken", 10, 0), rowsOf("light", 100, Infinity)];
  const fault = await repeatInTurns([broken.kind, light.kind], { limit: 500, signal }).catch((error: unknown) => error);
  expect(fault).toMatchObject({ errors: [{ message: "broken" }] });
  expect(light.batches.length).toBeGreaterThan(1);
});
