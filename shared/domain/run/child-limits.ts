import { journalLimits } from "./journal-limits.ts";

/**
 * The limits of the runs that runs start: of one run, of the whole tree, and how far down it goes. `result_bytes`: of what a run gets
 * of one that it waits for.
 */
export const childLimits = {
  children: 1_000,
  tree: 10_000,
  depth: 8,
  result_bytes: journalLimits.entry_bytes,
} as const;
