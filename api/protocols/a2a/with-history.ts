import type { Task } from "./task.ts";

/** Returns the task with its newest `length` messages; null: all of them. */
export function withHistory({ history = [], ...task }: Task, length: number | null): Task {
  if (length === 0) return task;
  return { ...task, history: length === null ? history : history.slice(-length) };
}
