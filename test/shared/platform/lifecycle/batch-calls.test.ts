import fc from "fast-check";
import { expect, test } from "vitest";
import { batchCalls, type ItemOutcome } from "../../../../shared/platform/lifecycle/batch-calls.ts";

/** A batch that is under way until the test ends it. */
type Sent = { items: number[]; end(verdicts?: ItemOutcome<string>[]): void; fail(error: unknown): void };

function open(options: Parameters<typeof batchCalls<number, string>>[1]) {
  const sent: Sent[] = [];
  const call = batchCalls<number, string>(
    (items) =>
      new Promise((resolve, reject) => {
        const end = (verdicts = items.map((item) => ({ value: `of ${item}` }))) => resolve(verdicts);
        sent.push({ items, end, fail: reject });
      }),
    options,
  );
  return { sent, call };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("calls of one turn go together; what comes meanwhile makes the next batch, which waits for nothing else", async () => {
  const { sent, call } = open({ most: 8 });
  const first = [call(1), call(2)];
  await turn();
  const second = [call(3), call(4), call(5)];
  await turn();
  expect(sent.map(({ items }) => items)).toEqual([[1, 2]]);
  sent[0]?.end();
  expect(await Promise.all(first)).toEqual(["of 1", "of 2"]);
  expect(sent.map(({ items }) => items)).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  sent[1]?.end();
  expect(await Promise.all(second)).toEqual(["of 3", "of 4", "of 5"]);
});

test("each item has its own verdict; a batch that rejects fails its own items, and no other", async () => {
  const { sent, call } = open({ most: 2 });
  const calls = [call(1), call(2), call(3)].map((promise) => promise.catch((error: unknown) => error));
  await turn();
  sent[0]?.end([{ error: "refused" }, { value: "taken" }]);
  expect(await Promise.all(calls.slice(0, 2))).toEqual(["refused", "taken"]);
  await turn();
  sent[1]?.fail("away");
  expect(await calls[2]).toBe("away");
  const after = call(4);
  await turn();
  sent[2]?.end();
  expect(await after).toBe("of 4");
});

test("a heavy item delays no other: they go meanwhile, and the next heavy one after it", async () => {
  const heavy = [1, 2];
  const { sent, call } = open({ most: 8, weigh: (item) => (heavy.includes(item) ? 11 : 1), maxWeight: 10 });
  const calls = [1, 2, 3, 4].map(call);
  await turn();
  expect(sent.map(({ items }) => items)).toEqual([[3, 4], [1]]);
  sent[0]?.end();
  expect(await Promise.all(calls.slice(2))).toEqual(["of 3", "of 4"]);
  const meanwhile = call(5);
  await turn();
  sent[2]?.end();
  expect(await meanwhile).toBe("of 5");
  sent[1]?.end();
  expect(await calls[0]).toBe("of 1");
  await turn();
  expect(sent.map(({ items }) => items)).toEqual([[3, 4], [1], [5], [2]]);
  sent[3]?.end();
  expect(await calls[1]).toBe("of 2");
});

test("whatever is asked for, each item goes once, in order of its key, within the bounds", async () => {
  const items = fc.array(fc.record({ key: fc.constantFrom("a", "b", null), weight: fc.nat(12) }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(items, fc.integer({ min: 1, max: 6 }), async (asked, most) => {
      const batches: number[][] = [];
      const at = (index: number) => asked[index] ?? { key: null, weight: 0 };
      const call = batchCalls<number, number>(
        async (batch) => {
          batches.push(batch);
          await turn();
          return batch.map((value) => ({ value }));
        },
        { most, weigh: (index) => at(index).weight, maxWeight: 10, apart: (index) => at(index).key },
      );
      expect(await Promise.all(asked.map((_, index) => call(index)))).toEqual(asked.map((_, index) => index));
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(most);
        const weight = batch.reduce((sum, index) => sum + at(index).weight, 0);
        expect(batch.length === 1 || weight <= 10).toBe(true);
        const keys = batch.flatMap((index) => at(index).key ?? []);
        expect(new Set(keys).size).toBe(keys.length);
      }
      for (const key of ["a", "b"]) {
        const order = batches.flat().filter((index) => at(index).key === key);
        expect(order).toEqual(order.toSorted((one, other) => one - other));
      }
    }),
    { numRuns: 60 },
  );
});
