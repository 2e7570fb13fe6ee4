const KiB = 1024;
const MiB = 1024 * KiB;

/** The limits of a durable run's journal. runtime/ applies them, too, so that an agent can catch their errors. */
export const journalLimits = {
  entry_bytes: 1 * MiB,
  // The files of a step, compressed and as text.
  files_bytes: 4 * MiB,
  entries: 10_000,
  bytes: 64 * MiB,
  // How often a run may go on as a fresh one.
  continuations: 1_000,
} as const;

/** The limits of what is said to a run. `untaken`: what no entry of its journal has taken yet. */
export const inputLimits = {
  payload_bytes: 256 * KiB,
  untaken: 1_000,
} as const;
