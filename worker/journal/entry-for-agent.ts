import type { Entry } from "../../shared/services/journal/entry.ts";

/** An entry as the agent's process is told it. */
export type EntryForAgent = Pick<
  Entry,
  | "key"
  | "kind"
  | "name"
  | "branch"
  | "position"
  | "args"
  | "ok"
  | "result"
  | "error"
  | "files"
  | "signal"
  | "child"
  | "state"
  | "usage"
> & {
  /** Of the run that is run again: code that calls something else goes on without it. */
  copied?: true;
};

/** `isCounted`: whether the usage of an attempt is the run's already, or another run's. */
export const forAgent = (entry: Entry, isCounted: (attempt: number) => boolean): EntryForAgent => {
  const { attempt, key, kind, name, branch, position, args, ok, result, error, files } = entry;
  const { signal, child, state, usage } = entry;
  return {
    ...{ key, kind, name, branch, position, args, ok },
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
    ...(files !== undefined && { files }),
    ...(signal !== undefined && { signal }),
    ...(child !== undefined && { child }),
    ...(state !== undefined && { state }),
    ...(usage !== undefined && !isCounted(attempt) && { usage }),
    ...(attempt === 0 && { copied: true as const }),
  };
};

/** What waits end as. The entry was sealed when the wait was opened. */
const waitKinds = new Set(["timer", "signal", "late", "child", "child_failed", "started"]);
export const isOfWait = (kind: string): boolean => waitKinds.has(kind);
