import type { RunStatus } from "../../../shared/domain/run/run-status.ts";

/** The words of the client's type `RunStatus`. */
export const runWords = ["pending", "running", "error", "success", "timeout", "interrupted"] as const;
export type RunWord = (typeof runWords)[number];

/** To LangGraph a run that asks has succeeded, and its thread is interrupted. */
const wordOf: Readonly<Record<RunStatus, RunWord>> = {
  scheduled: "pending",
  queued: "pending",
  running: "running",
  interrupted: "success",
  suspended: "running",
  success: "success",
  error: "error",
  expired: "error",
  timeout: "timeout",
  cancelled: "interrupted",
};

export const runWord = (status: RunStatus): RunWord => wordOf[status];

/** Returns our statuses that have this word. */
export const statusesOf = (word: RunWord): RunStatus[] =>
  (Object.keys(wordOf) as RunStatus[]).filter((status) => wordOf[status] === word);
