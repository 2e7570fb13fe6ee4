/** What a run waits for, as `run.suspended` tells it. */
export type OpenWait = { kind: "timer" | "signal" | "child"; name: string; until: string | null; children?: number };

/** What a run waits for whose process was let go. */
export type Suspension = {
  waits: OpenWait[];
  /** The last entry of its journal that the process was told of. */
  seen_place: number;
  /** When it goes on at the latest, in ms since 1970. */
  wakes_at: number | null;
  /** Of which waits more than one must have ended, by the keys of their calls. */
  conditions: { keys: string[]; most_open: number; or_failed: boolean }[];
};
