const MiB = 1024 * 1024;

/** What may come through one channel, and what reading it may cost, within any `windowMs`. */
export type ChannelBudget = {
  bytes: number;
  /** Empty ones count. */
  lines: number;
  /** Lines that can't be used. Each costs more to read than one that can. */
  faults: number;
  /** This process's time for reading it. */
  cpuMs: number;
  windowMs: number;
};

/** Several times what a run needs that uses all of its limits (`shared/domain/run/limits.ts`). */
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

/** A channel took more than its budget. Whoever writes there does so on purpose, or is out of control: it should be ended. */
export class ChannelBreach extends Error {
  override name = "ChannelBreach";
  readonly limit: keyof typeof limitWords;
  constructor(limit: keyof typeof limitWords, budget: ChannelBudget) {
    super(`more than ${budget[limit]} ${limitWords[limit]} within ${budget.windowMs / 1000} s`);
    this.limit = limit;
  }
}

type Spent = Record<keyof typeof limitWords, number>;

/** Watches the reading of one channel. */
export type ChannelMeter = {
  /** Takes in what was read and the time that it took. Throws ChannelBreach. */
  add(used: Partial<Spent>): void;
  /** Lets others have the event loop, if this channel has had it for a while. */
  pause(): Promise<void>;
};

const limits = ["bytes", "lines", "faults", "cpuMs"] as const;

const turnBytes = 256 * 1024;
const turnMs = 5;

export function createChannelMeter(budget: ChannelBudget): ChannelMeter {
  let windowStart = performance.now();
  const nothing: Spent = { bytes: 0, lines: 0, faults: 0, cpuMs: 0 };
  let used = { ...nothing };
  const turn = { bytes: 0, startedAt: performance.now() };
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
      turn.bytes += bytes;
      for (const limit of limits) if (used[limit] > budget[limit]) throw new ChannelBreach(limit, budget);
    },
    async pause() {
      if (turn.bytes < turnBytes && performance.now() - turn.startedAt < turnMs) return;
      await new Promise<void>((resolve) => setImmediate(resolve));
      turn.bytes = 0;
      turn.startedAt = performance.now();
    },
  };
}
