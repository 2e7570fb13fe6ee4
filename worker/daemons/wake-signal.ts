export type Bell = {
  ring(): void;
  /** Resolves at the next ring, at once if it rang since the last wait, or after `ms`. One waiter. */
  wait(ms: number): Promise<void>;
};

/** Wakes a loop that waits for something to do; no ring is lost. */
export function createBell(): Bell {
  let rung = false;
  let wake = (): void => {};
  return {
    ring() {
      rung = true;
      wake();
    },
    async wait(ms) {
      if (!rung) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, ms);
        });
        clearTimeout(timer);
      }
      rung = false;
    },
  };
}
