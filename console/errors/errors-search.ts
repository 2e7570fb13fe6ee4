import { isRange, type RangeName } from "../data/runs-search.ts";

export const rangeNames: readonly [RangeName, string][] = [
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
];

export const rangeOf = (last: string | undefined): RangeName => (isRange(last) ? last : "7d");

export const states = ["open", "resolved", "ignored", "all"] as const;
type State = (typeof states)[number];

export const stateOf = (state: string | undefined): State => states.find((name) => name === state) ?? "open";
