const KiB = 1024;
const MiB = 1024 * KiB;

/** The limits of a request. Bytes are of UTF-8, or of JSON for a value that is no string. */
export const requestLimits = {
  body_bytes: 6 * MiB,
  json_depth: 64,
  // Items of arrays, and members of objects, which count twice. Each costs as much as some hundred bytes of text.
  json_values: 250_000,
  metadata_bytes: 64 * KiB,
  metadata_keys: 64,
  tags: 20,
  tag: 64,
  // In characters. An entry of the metadata with a longer key or value can't be looked for.
  label_key: 64,
  label_value: 256,
  input_bytes: 3 * MiB,
  files: 50,
  // Of the text or data URL. All files of a request or a config also have to fit its body.
  file_bytes: 5 * MiB,
  env_names: 100,
  env_value_bytes: 32 * KiB,
  history_items: 1000,
  state_bytes: 1 * MiB,
  // Of the messages that a thread hands to its next run.
  thread_history_bytes: 8 * MiB,
} as const;

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
} as const;

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

/** A run that no worker claims within this time expires. */
export const queueTtlMs = 24 * 3_600_000;

/** The number of attempts with lost workers after which a run ends as `worker_lost`. */
export const defaultMaxAttempts = 3;
