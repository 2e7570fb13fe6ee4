/** Limits how many runs a worker executes at a time. */
export type Slots = {
  /** Runs `work` when a slot is free, in order of asking. The slot is free again at `release`, or when `work` has ended. */
  use(work: (release: () => void) => Promise<void>): Promise<void>;
  free(): number;
  /** Resolves when a slot is free. One caller at a time. */
  untilFree(): Promise<void>;
  busy(): number;
  /** Resolves when all work has ended, including work that has released its slot. */
  idle(): Promise<void>;
};

export function createSlots(count: number): Slots {
  let busy = 0;
  let working = 0;
  const waiting: (() => void)[] = [];
  const idle: (() => void)[] = [];
  let onFree = (): void => {};

  function leave(): void {
    const next = waiting.shift();
    if (next) return next();
    busy -= 1;
    onFree();
  }

  return {
    async use(work) {
      if (busy < count) busy += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      working += 1;
      let isHeld = true;
      const release = (): void => {
        if (isHeld) leave();
        isHeld = false;
      };
      try {
        await work(release);
      } finally {
        release();
        working -= 1;
        if (working === 0) for (const resolve of idle.splice(0)) resolve();
      }
    },
    free: () => count - busy,
    untilFree: () => (busy < count ? Promise.resolve() : new Promise((resolve) => (onFree = resolve))),
    busy: () => busy,
    idle: () => (working === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}
