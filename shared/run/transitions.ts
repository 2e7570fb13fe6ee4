import type { RunStatus, TerminalStatus } from "./run-status.ts";

/**
 * Every move a run can make: from which states, by whose act, to which state, and what it does to the attempt.
 * `attempt: "raise"` is the fence: after it, every write that names an older attempt is refused.
 * The store takes its WHERE lists from here; the model tests walk it.
 */
type Transition = {
  from: readonly RunStatus[];
  to: readonly RunStatus[];
  actor: "api" | "worker" | "client" | "reconciler";
  attempt: "keep" | "raise";
};

const ended = ["success", "error", "timeout", "cancelled"] as const satisfies readonly TerminalStatus[];

export const transitions = {
  /** A worker takes the run. */
  claim: { from: ["queued"], to: ["running"], actor: "worker", attempt: "raise" },
  /** Its worker ends it. */
  finish: { from: ["running"], to: ended, actor: "worker", attempt: "keep" },
  /** A draining worker hands it back, uncharged. */
  give_back: { from: ["running"], to: ["queued"], actor: "worker", attempt: "keep" },
  /** Its worker's lease ran out: the next attempt, charged. */
  lose: { from: ["running"], to: ["queued"], actor: "reconciler", attempt: "keep" },
  /** It was lost too often, or outlived its deadline with no worker to end it. */
  give_up: { from: ["running"], to: ["error", "timeout", "cancelled"], actor: "reconciler", attempt: "raise" },
  /** Completed from outside while a worker may be running it: the raise fences that worker. */
  complete_running: { from: ["running"], to: ended, actor: "client", attempt: "raise" },
  /** Completed from outside before or between attempts. */
  complete_waiting: { from: ["scheduled", "queued", "interrupted"], to: ended, actor: "client", attempt: "keep" },
  /** Cancelled before a worker took it (a running one is cancelled by its worker: finish). */
  cancel_waiting: { from: ["scheduled", "queued", "interrupted"], to: ["cancelled"], actor: "client", attempt: "keep" },
  /** Nobody took it in time. Never billed. */
  expire: { from: ["scheduled", "queued", "interrupted"], to: ["expired"], actor: "reconciler", attempt: "keep" },
  /** The agent asks a person. */
  interrupt: { from: ["running"], to: ["interrupted"], actor: "worker", attempt: "keep" },
  /** The person answered. */
  resume: { from: ["interrupted"], to: ["queued"], actor: "client", attempt: "keep" },
  /** Its time has come. */
  release: { from: ["scheduled"], to: ["queued"], actor: "reconciler", attempt: "keep" },
} as const satisfies Record<string, Transition>;

export type Cause = keyof typeof transitions;

/** Whether `cause` may move a run from `from` to `to`. */
export function mayMove(cause: Cause, from: RunStatus, to: RunStatus): boolean {
  const transition: Transition = transitions[cause];
  return transition.from.includes(from) && transition.to.includes(to);
}
