import type { Condition } from "./where-clause.ts";

/** On a row with `labels`: the row has all of these. The index has only rows with labels, so the condition says that, too. */
export const hasLabels = (labels: string[]): Condition => [
  "(labels @> ? AND labels <> '{}')",
  labels.length > 0 ? labels : null,
];
