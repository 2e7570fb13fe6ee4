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
  // Of the messages that a fork of a thread copies.
  thread_fork_bytes: 64 * MiB,
} as const;
