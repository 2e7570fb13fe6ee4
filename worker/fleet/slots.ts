import { once } from "node:events";

/** Limits how many runs a worker executes at a time. */
export type Slots = {
  /** Runs `work` when a slot is free, in order of asking. The slot is free again at `release`, or when `work` has ended. */
  use(work: (release: () => void) => Promise<void>): Promise<void>;
  /**
   * Takes no more work, runs `work` once all other work has ended, and takes work again when it has ended, too. It does so at
   * once when the signal is aborted before. One caller at a time.
   */
  useAll(signal: AbortSignal, work: () => Promise<void>): Promise<void>;
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
  let isReserved = false;
  const free = (): number => (isReserved ? 0 : count - busy);

  function leave(): void {
    const next = isReserved ? undefined : waiting.shift();
    if (next) return next();
    busy -= 1;
    if (!isReserved) onFree();
  }
  function end(): void {
    working -= 1;
    if (working === 0) for (const resolve of idle.splice(0)) resolve();
  }
  const untilIdle = (): Promise<void> =>
    working === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve));
  /** Lets in what has waited meanwhile. */
  function reopen(): void {
    isReserved = false;
    for (const next of waiting.splice(0, count - busy)) {
      busy += 1;
      next();
    }
    if (free() > 0) onFree();
  }

  return {
    async use(work) {
      if (free() > 0) busy += 1;
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
        end();
      }
    },
    async useAll(signal, work) {
      isReserved = true;
      try {
        await Promise.race([untilIdle(), once(signal, "abort")]);
        if (signal.aborted) return;
        [busy, working] = [count, 1];
        await work().finally(() => {
          busy = 0;
          end();
        });
      } finally {
        reopen();
      }
    },
    free,
    untilFree: () => (free() > 0 ? Promise.resolve() : new Promise((resolve) => (onFree = resolve))),
    busy: () => busy,
    idle: untilIdle,
  };
}
