const KiB = 1024;
const MiB = 1024 * KiB;

/** The limits of a run. Its agent's config can lower them, and set `timeout_ms` up to `max_timeout_ms`. */
export const runLimits = {
  timeout_ms: 600_000,
  max_timeout_ms: 3_600_000,
  memory_bytes: 512 * MiB,
  full_memory_bytes: 2048 * MiB,
  processes: 64,
  disk_bytes: 256 * MiB,
  output_bytes: 10 * MiB,
  events: 100_000,
  event_bytes: 64 * KiB,
  result_bytes: 10 * MiB,
  artifact_bytes: 8 * MiB,
  artifacts_bytes: 50 * MiB,
  idle_timeout_ms: 300_000,
  // From asking a run to end (SIGTERM) to ending it (SIGKILL).
  stop_grace_ms: 2_000,
  max_stop_grace_ms: 30_000,
  // What a config may raise these to: processes, and bytes on disk.
  max_processes: 1_024,
  max_disk_bytes: 1_024 * MiB,
  // A run may use so many processors for all of its time.
  max_processors: 64,
} as const;

/** The longest duration that a run's row takes (an int4 of ms): almost 25 days. A longer one is told as this. */
export const maxDurationMs = 2_147_483_647;

/** A run that no worker claims within this time expires. */
export const queueTtlMs = 24 * 3_600_000;

/** The number of attempts with lost workers after which a run ends as `worker_lost`. */
export const defaultMaxAttempts = 3;
