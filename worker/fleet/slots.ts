/** How many runs a worker takes at once. */
export type Slots = {
  /** Runs `work` when a slot is free, in order of asking. */
  use(work: () => Promise<void>): Promise<void>;
  free(): number;
  /** Resolves when a slot is free. One waiter. */
  untilFree(): Promise<void>;
  busy(): number;
  /** Resolves when no slot is in use. */
  idle(): Promise<void>;
};

export function createSlots(count: number): Slots {
  let busy = 0;
  const waiting: (() => void)[] = [];
  const idle: (() => void)[] = [];
  let onFree = (): void => {};

  function leave(): void {
    const next = waiting.shift();
    if (next) return next();
    busy -= 1;
    onFree();
    if (busy === 0) for (const resolve of idle.splice(0)) resolve();
  }

  return {
    async use(work) {
      if (busy < count) busy += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        await work();
      } finally {
        leave();
      }
    },
    free: () => count - busy,
    untilFree: () => (busy < count ? Promise.resolve() : new Promise((resolve) => (onFree = resolve))),
    busy: () => busy,
    idle: () => (busy === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}
