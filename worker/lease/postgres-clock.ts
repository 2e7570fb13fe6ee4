/** What this worker knows of Postgres' clock, by its own monotonic one. */
export type PostgresClock = {
  /** `askedAt`: performance.now() before the statement that answered `at`, Postgres' time in epoch ms. */
  note(askedAt: number, at: number): void;
  /** Returns the latest time that Postgres' clock can show now, epoch ms; null: it was not noted for `maxAgeMs`. */
  latest(maxAgeMs: number): number | null;
};

export function createPostgresClock(): PostgresClock {
  let noted: { askedAt: number; at: number } | null = null;
  return {
    note(askedAt, at) {
      noted = { askedAt, at };
    },
    latest(maxAgeMs) {
      const now = performance.now();
      return noted && now - noted.askedAt <= maxAgeMs ? noted.at + (now - noted.askedAt) : null;
    },
  };
}
