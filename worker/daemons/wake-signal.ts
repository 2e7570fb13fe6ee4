export type WakeSignal = {
  notify(): void;
  /** Resolves at the next `notify`, at once if there was one since the last wait, or after `ms`. One waiter. */
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
