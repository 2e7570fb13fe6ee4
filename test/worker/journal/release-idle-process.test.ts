import { expect, test, vi } from "vitest";
import { openIdleRelease } from "../../../worker/journal/release-idle-process.ts";

const openWith = (waits: string[]) => {
  const suspend = vi.fn<() => void>();
  const release = openIdleRelease({
    reply: () => true,
    stop: () => undefined,
    suspend,
    isCancelled: false,
    isCrowded: () => false,
    isSettled: () => true,
    state: () => ({ waits: waits.map((key) => ({ key }) as never), seen_place: 0 }),
  });
  return { release, suspend };
};

test.each([
  { waits: [], wakes_at: null, suspends: 0 },
  { waits: ["sleep#1"], wakes_at: null, suspends: 1 },
  { waits: [], wakes_at: 1, suspends: 1 },
])("a process is let go only where something will wake its run: $waits, $wakes_at", ({ waits, wakes_at, suspends }) => {
  const { release, suspend } = openWith(waits);
  release.idle({ type: "idle", seen: 0, wakes_at, conditions: [] });
  release.drain();
  release.close();
  expect(suspend).toHaveBeenCalledTimes(suspends);
});
