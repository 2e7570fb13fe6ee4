export type WakeSignal = {
  notify(): void;
  /** Resolves at the next `notify`, or after `ms`; at once after a `notify` since the last wait. One caller at a time. */
  wait(ms: number): Promise<void>;
};

/** Wakes a loop that waits for something to do. No `notify` is lost. */
export function createWakeSignal(): WakeSignal {
  let notified = false;
  let wake = (): void => {};
  return {
    notify() {
      notified = true;
      wake();
    },
    async wait(ms) {
      if (!notified) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, ms);
        });
        clearTimeout(timer);
      }
      notified = false;
    },
  };
}
