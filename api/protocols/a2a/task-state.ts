import { type RunStatus, runStatuses } from "../../../shared/domain/run/run-status.ts";

export const taskStates = [
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
] as const;
export type TaskState = (typeof taskStates)[number];

/** The state of a run's task, by the run's status. */
export const taskStateOf: Record<RunStatus, TaskState> = {
  scheduled: "TASK_STATE_SUBMITTED",
  queued: "TASK_STATE_SUBMITTED",
  running: "TASK_STATE_WORKING",
  suspended: "TASK_STATE_WORKING",
  interrupted: "TASK_STATE_INPUT_REQUIRED",
  success: "TASK_STATE_COMPLETED",
  error: "TASK_STATE_FAILED",
  timeout: "TASK_STATE_FAILED",
  expired: "TASK_STATE_FAILED",
  cancelled: "TASK_STATE_CANCELED",
};

/** Returns the statuses of runs whose tasks are in a state. */
export const statusesOf = (state: TaskState): RunStatus[] =>
  runStatuses.filter((status) => taskStateOf[status] === state);

export const isOver = (state: TaskState): boolean =>
  state === "TASK_STATE_COMPLETED" || state === "TASK_STATE_FAILED" || state === "TASK_STATE_CANCELED";
