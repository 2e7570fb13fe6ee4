import type { RunStatus } from "./run-status.ts";

/**
 * Every move a run can make: from which states, by whose act, to which states, and what it does to the attempt.
 * `attempt: "raise"` is the fence: after it, every write that names an older attempt is refused. A worker raises it by
 * claiming; whoever else ends a run raises it too, so that a worker that may still hold the run can't write any more.
 * The store takes its WHERE lists from here; the model tests walk it.
 */
type Transition = {
  from: readonly RunStatus[];
  to: readonly RunStatus[];
  actor: "worker" | "client" | "reconciler";
  attempt: "keep" | "raise";
};

const waiting = ["scheduled", "queued", "interrupted"] as const;
const ended = ["success", "error", "timeout", "cancelled"] as const;

export const transitions = {
  /** A worker takes the run. */
  claim: { from: ["queued"], to: ["running"], actor: "worker", attempt: "raise" },
  /** Its worker ends it. */
  finish: { from: ["running"], to: ended, actor: "worker", attempt: "keep" },
  /** Its draining worker hands it back, uncharged. */
  give_back: { from: ["running"], to: ["queued"], actor: "worker", attempt: "keep" },
  /** Its worker's lease ran out: back to the queue, charged. */
  lose: { from: ["running"], to: ["queued"], actor: "reconciler", attempt: "keep" },
  /** Its worker's lease ran out and it can't be tried again. */
  give_up: { from: ["running"], to: ["error", "cancelled"], actor: "reconciler", attempt: "raise" },
  /** Completed from outside. */
  complete: { from: ["running", ...waiting], to: ended, actor: "client", attempt: "raise" },
  /** Cancelled before a worker took it; a running one is cancelled by its worker, as `finish`. */
  cancel: { from: waiting, to: ["cancelled"], actor: "client", attempt: "raise" },
  /** Nobody took it in time. Never billed. */
  expire: { from: waiting, to: ["expired"], actor: "reconciler", attempt: "raise" },
  /** Its agent failed, and its config wants it to be tried again later. */
  retry: { from: ["running"], to: ["scheduled"], actor: "worker", attempt: "keep" },
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
