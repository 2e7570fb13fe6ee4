const KiB = 1024;
const MiB = 1024 * KiB;

/** What one request may hold. Bytes are of UTF-8 (JSON, where the value is not a string). */
export const requestLimits = {
  body_bytes: 6 * MiB,
  json_depth: 64,
  // Members of objects, which count twice, and items of arrays: each costs as much as some hundred bytes of text.
  json_values: 250_000,
  metadata_bytes: 64 * KiB,
  input_bytes: 3 * MiB,
  files: 50,
  file_bytes: 10 * MiB,
  env_names: 100,
  env_value_bytes: 32 * KiB,
  history_items: 1000,
  state_bytes: 1 * MiB,
} as const;

/** What one run may use unless its agent's config says less (or, for time, up to `max_timeout_ms`). */
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
} as const;

/** A run that no worker takes for this long expires. */
export const queueTtlMs = 24 * 3_600_000;

/** Attempts that lost workers may cost before a run ends as `worker_lost`. */
export const defaultMaxAttempts = 3;
