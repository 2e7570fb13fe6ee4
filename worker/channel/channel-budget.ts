const MiB = 1024 * 1024;

/** How much may come through one channel, and how much time reading may take, within a window of `windowMs`. */
export type ChannelBudget = {
  bytes: number;
  /** Lines, empty ones included. */
  lines: number;
  /** Lines that are no frames. They take more time to read than frames. */
  faults: number;
  /** Time that this process takes to read the channel. */
  cpuMs: number;
  windowMs: number;
};

/** Several times what a run needs that uses up all limits of `shared/domain/run/run-limits.ts`. */
export const channelBudget: ChannelBudget = {
  bytes: 256 * MiB,
  lines: 1_000_000,
  faults: 10_000,
  cpuMs: 15_000,
  windowMs: 60_000,
};

const limitWords = {
  bytes: "bytes",
  lines: "lines",
  faults: "lines that can't be used",
  cpuMs: "ms of reading",
};

/** A channel's budget is spent. The process that writes there does so on purpose or is out of control: it must be ended. */
export class ChannelBreach extends Error {
  override name = "ChannelBreach";
  readonly limit: keyof typeof limitWords;
  constructor(limit: keyof typeof limitWords, budget: ChannelBudget) {
    super(`more than ${budget[limit]} ${limitWords[limit]} within ${budget.windowMs / 1000} s`);
    this.limit = limit;
  }
}

type Spent = Record<keyof typeof limitWords, number>;

/** Counts what is read of one channel. */
export type ChannelMeter = {
  /** Adds what was read and the time that it took. Throws ChannelBreach. */
  add(used: Partial<Spent>): void;
  /** Gives other work the event loop, when this channel has used its time slice. */
  pause(): Promise<void>;
};

const limits = ["bytes", "lines", "faults", "cpuMs"] as const;

const sliceBytes = 256 * 1024;
const sliceMs = 5;

export function createChannelMeter(budget: ChannelBudget): ChannelMeter {
  let windowStart = performance.now();
  const nothing: Spent = { bytes: 0, lines: 0, faults: 0, cpuMs: 0 };
  let used = { ...nothing };
  const slice = { bytes: 0, startedAt: performance.now() };
  return {
    add({ bytes = 0, lines = 0, faults = 0, cpuMs = 0 }) {
      const now = performance.now();
      if (now - windowStart > budget.windowMs) {
        windowStart = now;
        used = { ...nothing };
      }
      used.bytes += bytes;
      used.lines += lines;
      used.faults += faults;
      used.cpuMs += cpuMs;
      slice.bytes += bytes;
      for (const limit of limits) if (used[limit] > budget[limit]) throw new ChannelBreach(limit, budget);
    },
    async pause() {
      if (slice.bytes < sliceBytes && performance.now() - slice.startedAt < sliceMs) return;
      await new Promise<void>((resolve) => setImmediate(resolve));
      slice.bytes = 0;
      slice.startedAt = performance.now();
    },
  };
}
