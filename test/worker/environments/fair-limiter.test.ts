import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseVictims, type StoredEnvironment } from "../../../worker/environments/choose-victims.ts";
import { createFailureCache } from "../../../worker/environments/failure-cache.ts";
import { createFairLimiter } from "../../../worker/environments/fair-limiter.ts";

const never = new AbortController().signal;

test("owners take turns, whoever has most work waiting, and no limit is exceeded", async () => {
  const turns = createFairLimiter({ atOnce: 2, perOwner: 1 });
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () =>
    new Promise<void>((resolve) => {
      order.push(name);
      ends.push(resolve);
    });
  const all = ["a1", "a2", "a3", "b1", "c1", "b2"].map((name) => turns.run(name[0] ?? "", never, work(name)));
  const passed: string[][] = [];
  for (let step = 0; step < 6; step++) {
    await new Promise((resolve) => setImmediate(resolve));
    passed.push([...order]);
    ends[step]?.();
  }
  await Promise.all(all);
  expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  expect(passed.map((names, step) => names.length - step)).toEqual([2, 2, 2, 2, 2, 1]);
});

test("who aborts while waiting gives up the turn, and failing work gives it to the next", async () => {
  const turns = createFairLimiter({ atOnce: 1, perOwner: 1 });
  const failing = turns.run(
    "a",
    never,
    () => new Promise<string>((_, reject) => setImmediate(() => reject(new Error("no")))),
  );
  const impatient = new AbortController();
  const waiting = turns.run("b", impatient.signal, async () => "b");
  const next = turns.run("c", never, async () => "c");
  impatient.abort(new Error("left"));
  await expect(waiting).rejects.toThrow("left");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("c");
});

test("what goes is never in use nor was used just now, is the oldest, and no more than has to", () => {
  const now = 1_000_000_000;
  const kept = fc.record({
    name: fc.uuid(),
    bytes: fc.nat(100),
    usedAt: fc.integer({ min: now - 1_000_000, max: now }),
    inUse: fc.boolean(),
  });
  const limits = fc.record({ bytes: fc.nat(500), count: fc.nat(10) });
  const fits = (left: StoredEnvironment[], { bytes, count }: { bytes: number; count: number }): boolean =>
    left.reduce((sum, one) => sum + one.bytes, 0) <= bytes && left.length <= count;
  fc.assert(
    fc.property(fc.array(kept, { maxLength: 12 }), limits, (all, given) => {
      const mayGo = all.filter(({ inUse, usedAt }) => !inUse && now - usedAt > 120_000);
      const victims = chooseVictims(all, given, now);
      const leastLeft = all.filter((item) => !mayGo.includes(item));
      expect(victims === null).toBe(!fits(leastLeft, given));
      if (victims === null) return;
      const left = all.filter((one) => !victims.includes(one));
      expect(fits(left, given)).toBe(true);
      expect(victims.every((one) => mayGo.includes(one))).toBe(true);
      const youngest = victims.at(-1);
      if (youngest) expect(fits([...left, youngest], given)).toBe(false);
      const oldestLeft = Math.min(...left.filter((one) => mayGo.includes(one)).map(({ usedAt }) => usedAt));
      expect(youngest?.usedAt ?? 0).toBeLessThanOrEqual(oldestLeft);
    }),
  );
});

test("a failure is remembered for half a minute", () => {
  let now = 0;
  const failures = createFailureCache(() => now);
  failures.add("key", { fault: "No such package." });
  failures.add("full", { fault: "There is no room.", ofWorker: true });
  now = 29_000;
  const again = "\n(It failed a moment ago. It will be tried again in 1 s.)";
  expect(failures.find("key")).toEqual({ fault: `No such package.${again}` });
  expect(failures.find("full")).toEqual({ fault: `There is no room.${again}`, ofWorker: true });
  now = 30_000;
  expect(failures.find("key")).toBeNull();
});
