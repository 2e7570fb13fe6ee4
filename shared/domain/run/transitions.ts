import type { RunStatus } from "./run-status.ts";

/**
 * Every move that a run can make. The store writes the SQL of each move from its row of this table
 * (`shared/store/runs/moves/move-runs.ts`), and the model test compares what that SQL does with this table.
 */
type Transition = {
  /** None: the run is made by it. */
  from: readonly RunStatus[];
  to: readonly RunStatus[];
  /** Who is named in the run's timeline; `origin`: what the run was accepted through. */
  actor: "worker" | "client" | "reconciler" | "origin";
  /**
   * `raise` is the fence: after it, every write that names an older attempt is refused. A worker raises it by claiming;
   * whoever else ends a run raises it too, so that a worker that may still hold the run can't write any more.
   */
  attempt: "keep" | "raise";
  /**
   * The attempt that the caller has to name. `held`: the one that it claimed; `seen`: the one that it read in the run's
   * row; `none`: the row alone decides, under its lock.
   */
  names: "held" | "seen" | "none";
  /** Whether it is refused once somebody has asked to cancel the run. */
  unlessCancelling?: true;
  /** What the timeline says of it; absent: the caller says it, or nobody does. */
  reason?: string;
};

const waiting = ["scheduled", "queued", "interrupted"] as const;
const aside = [...waiting, "suspended"] as const;
const ended = ["success", "error", "timeout", "cancelled"] as const;

export const transitions = {
  /** A request was accepted. */
  accept: { from: [], to: ["queued"], actor: "origin", attempt: "keep", names: "none" },
  /** A request was accepted whose run is to start later. */
  delay: { from: [], to: ["scheduled"], actor: "origin", attempt: "keep", names: "none" },
  /** A worker takes the run. */
  claim: { from: ["queued"], to: ["running"], actor: "worker", attempt: "raise", names: "none" },
  /** Its worker ends it. */
  finish: { from: ["running"], to: ended, actor: "worker", attempt: "keep", names: "held" },
  /** Its worker hands it back, and says why; no attempt is charged. */
  give_back: {
    from: ["running"],
    to: ["queued"],
    actor: "worker",
    attempt: "keep",
    names: "held",
    unlessCancelling: true,
  },
  /** A step of its agent ran over its time, which ended the process: back to the queue, uncharged. */
  restart: {
    from: ["running"],
    to: ["queued"],
    actor: "worker",
    attempt: "keep",
    names: "held",
    unlessCancelling: true,
    reason: "step_timeout",
  },
  /** Its code goes on as a fresh run, with another input and an empty journal: back to the queue, uncharged. */
  continue_as: {
    from: ["running"],
    to: ["queued"],
    actor: "worker",
    attempt: "keep",
    names: "held",
    unlessCancelling: true,
    reason: "continued",
  },
  /** Its worker has lost the run's process: back to the queue, charged. Refused once it has no attempt left. */
  lose_process: {
    from: ["running"],
    to: ["queued"],
    actor: "worker",
    attempt: "keep",
    names: "held",
    unlessCancelling: true,
  },
  /** Its worker's lease ran out: back to the queue, charged. Refused once it has no attempt left. */
  lose: {
    from: ["running"],
    to: ["queued"],
    actor: "reconciler",
    attempt: "keep",
    names: "none",
    unlessCancelling: true,
    reason: "worker_lost",
  },
  /** It was lost as often as `max_attempts` allows since its journal last grew, or is to be cancelled. */
  give_up: { from: ["running"], to: ["error", "cancelled"], actor: "reconciler", attempt: "raise", names: "seen" },
  /** Completed from outside. */
  complete: { from: ["running", ...aside], to: ended, actor: "client", attempt: "raise", names: "seen" },
  /** Cancelled while no worker has it; a running one is cancelled by its worker, as `finish`. */
  cancel: { from: waiting, to: ["cancelled"], actor: "client", attempt: "raise", names: "seen" },
  /** Nobody took it, or answered it, in time. One that never began is never billed. */
  expire: { from: waiting, to: ["expired"], actor: "reconciler", attempt: "raise", names: "seen" },
  /** Its agent failed, and its config wants it to be tried again later. */
  retry: {
    from: ["running"],
    to: ["scheduled"],
    actor: "worker",
    attempt: "keep",
    names: "held",
    unlessCancelling: true,
  },
  /** The agent asks a person. */
  interrupt: {
    from: ["running"],
    to: ["interrupted"],
    actor: "worker",
    attempt: "keep",
    names: "held",
    unlessCancelling: true,
  },
  /** The person answered. */
  resume: {
    from: ["interrupted"],
    to: ["queued"],
    actor: "client",
    attempt: "keep",
    names: "none",
    reason: "resumed",
  },
  /** Its agent only waits for what the service knows: its process is ended, and a row is left. */
  suspend: {
    from: ["running"],
    to: ["suspended"],
    actor: "worker",
    attempt: "keep",
    names: "held",
    unlessCancelling: true,
  },
  /** The time of one of its waits has come, or what it waits for came while it was suspended. */
  wake: { from: ["suspended"], to: ["queued"], actor: "reconciler", attempt: "keep", names: "none" },
  /** Cancelled while it is suspended: its code is to clean up, and ends where it waits. */
  wake_to_cancel: {
    from: ["suspended"],
    to: ["queued"],
    actor: "client",
    attempt: "keep",
    names: "seen",
    reason: "cancelled",
  },
  /** Somebody has sent what it waits for. */
  wake_by_input: {
    from: ["suspended"],
    to: ["queued"],
    actor: "client",
    attempt: "keep",
    names: "none",
  },
  /** The time of its first or its next attempt has come. */
  release: { from: ["scheduled"], to: ["queued"], actor: "reconciler", attempt: "keep", names: "none" },
} as const satisfies Record<string, Transition>;

export type Cause = keyof typeof transitions;

/** The move's row, for whoever reads what any row may have. */
export const transitionOf = (cause: Cause): Transition => transitions[cause];

/** Returns whether `cause` may move a run from `from` to `to`. */
export function mayMove(cause: Cause, from: RunStatus, to: RunStatus): boolean {
  const transition = transitionOf(cause);
  return transition.from.includes(from) && transition.to.includes(to);
}
