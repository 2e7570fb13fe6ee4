import { expect, test } from "vitest";
import { mergeStreams } from "../../../worker/channel/merge-streams.ts";

async function* count(to: number, onItem: (item: number) => void = () => {}) {
  for (let item = 1; item <= to; item++) {
    onItem(item);
    yield item;
  }
}
async function* failing() {
  yield 0;
  throw new Error("cut");
}

test("every item of every stream comes, each stream in its order, past one that fails", async () => {
  const merged: number[] = [];
  for await (const item of mergeStreams([count(500), failing(), count(300)])) merged.push(item);
  expect(merged.toSorted((a, b) => a - b)).toEqual(
    [0, ...Array.from({ length: 500 }, (_, i) => i + 1), ...Array.from({ length: 300 }, (_, i) => i + 1)].toSorted(
      (a, b) => a - b,
    ),
  );
});

test("a consumer that stops reading stops the sources within a bounded number of items", async () => {
  let produced = 0;
  const merged = mergeStreams([count(100_000, () => produced++)]);
  await merged.next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(produced).toBeLessThan(200);
  await merged.return(undefined);
});
