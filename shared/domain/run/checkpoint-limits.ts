const MiB = 1024 * 1024;

/** The limits of what is kept of a LangGraph graph: of a frame's text, and of all that a run keeps at once. runtime/ applies the first, too. */
export const checkpointLimits = {
  content_bytes: 8 * MiB,
  bytes: 64 * MiB,
} as const;
