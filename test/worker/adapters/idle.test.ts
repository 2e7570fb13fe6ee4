import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Interpreter } from "../../../worker/warm/interpreter.ts";
import type { LoadedInterpreter } from "../../../worker/warm/load.ts";
import { type IdleCache, type Shelf, createIdleCache } from "../../../worker/warm/idle-cache.ts";

const MiB = 1 << 20;
const capacity = 100 * MiB;
const never = new AbortController().signal;
let idle: IdleCache;
let shelf: Shelf<LoadedInterpreter>;

beforeEach(() => {
  vi.useFakeTimers();
  idle = createIdleCache(capacity);
  shelf = idle.shelf();
});
afterEach(() => {
  idle.close();
  vi.useRealTimers();
});

/** An interpreter that holds so much memory and has used so much time, which the test may change. */
async function keep(owner: string, key: string, memory_bytes: number) {
  const used = { cpu_ms: 0, memory_bytes, max_rss_bytes: null, memory_kills: 0, refused_forks: 0 };
  const [kill, charge] = [vi.fn(), vi.fn()];
  const interpreter: Interpreter = {
    load: () => Promise.reject(new Error("it is loaded")),
    run: () => {
      throw new Error("nobody runs it");
    },
    settled: null,
    usage: () => used,
    unbilledMs: () => used.cpu_ms,
    isGone: () => kill.mock.calls.length > 0,
    exited: new Promise(() => {}),
    kill,
  };
  shelf.put({ key, owner, ready: Promise.resolve({ key, interpreter, envRead: [], bytes: 0 }), kill, charge });
  await vi.advanceTimersByTimeAsync(0);
  return { used, kill, charge };
}

test("an owner's many interpreters push out that owner's own, and not another owner's few", async () => {
  const few = await keep("neighbour", "n", 20 * MiB);
  const many = [];
  for (const key of ["a", "b", "c", "d", "e", "f"]) many.push(await keep("greedy", key, 20 * MiB));
  expect(few.kill).not.toHaveBeenCalled();
  expect(many.map(({ kill }) => kill.mock.calls.length)).toEqual([1, 1, 0, 0, 0, 0]);
  expect(await shelf.take("n", never)).not.toBeNull();
});

test("what grows while it is idle is noticed, and goes when it holds a quarter of all", async () => {
  const one = await keep("owner", "a", 5 * MiB);
  one.used.memory_bytes = 26 * MiB;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(one.kill).toHaveBeenCalled();
  expect(await shelf.take("a", never)).toBeNull();
});

test("what works while it is idle goes and is charged for it, and what only waits stays", async () => {
  const [spinning, waiting] = [await keep("owner", "a", MiB), await keep("owner", "b", MiB)];
  for (let second = 0; second < 60; second += 1) {
    waiting.used.cpu_ms += 1;
    if (second < 3) spinning.used.cpu_ms += 500;
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect([spinning.kill.mock.calls.length > 0, waiting.kill.mock.calls.length > 0]).toEqual([true, false]);
  expect(spinning.charge).toHaveBeenCalled();
});
