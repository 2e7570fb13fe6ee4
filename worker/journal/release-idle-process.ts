import type { IdleFrame } from "../channel/wait-frame.ts";
import type { Suspension } from "../channel/suspension.ts";
import type { AbortReason } from "../lease/abort-reason.ts";

export type IdleRelease = {
  /** Answers the process. Returns false when it has not begun, or was let go: it is not told. */
  give(line: string): boolean;
  /** The process says that only the service can make it go on. */
  idle(frame: IdleFrame): void;
  disturb(): void;
  /** Lets the process go at once when it is idle, now or later. */
  drain(): void;
  close(): void;
};

type Options = {
  reply: (line: string) => boolean;
  stop: (reason: AbortReason) => void;
  suspend: (suspension: Suspension) => void;
  /** Whether the run is to end where it waits: its code is asked to clean up. */
  isCancelled: boolean;
  /** True while the worker has no free slot: another run may wait for this one's. */
  isCrowded: () => boolean;
  /** True when nothing that the process has asked for is under way. */
  isSettled: () => boolean;
  state: () => Pick<Suspension, "waits" | "seen_place">;
};

/** An idle process stays so long: what it waits for may come soon. */
const suspendAfterMs = 1_000;
/** A process that doesn't leave within this time is ended. */
const leaveMs = 2_000;
/** Code that is to clean up where it waits comes there within this time, or is asked to end where it is. */
const replayMs = 30_000;
/** What is under way when a process is to be let go is looked for again after this time. */
const settleMs = 50;
const mostTold = 100;

/**
 * Lets the process of a run go that only waits. The process says when it is idle, and what it had heard by then; anything that it
 * does or hears later makes that void.
 */
export function openIdleRelease({
  reply,
  stop,
  suspend,
  isCancelled,
  isCrowded,
  isSettled,
  state,
}: Options): IdleRelease {
  let given = 0;
  let hasLeft = false;
  let restMs = suspendAfterMs;
  let resting: { frame: IdleFrame; timer: NodeJS.Timeout } | null = null;
  let leaving: NodeJS.Timeout | undefined;
  const replaying = isCancelled ? setTimeout(() => stop("cancelled"), replayMs) : undefined;

  function disturb(): void {
    clearTimeout(resting?.timer);
    resting = null;
  }

  function rest(frame: IdleFrame, ms: number): void {
    resting = { frame, timer: setTimeout(letGo, ms) };
  }

  function letGo(): void {
    if (!resting || hasLeft) return;
    const { frame } = resting;
    disturb();
    // The process doesn't say it again: it hears nothing of what is under way.
    if (!isSettled()) return rest(frame, settleMs);
    const { waits, seen_place } = state();
    const { wakes_at, conditions } = frame;
    // Nothing would wake the run.
    if (waits.length === 0 && wakes_at === null) return;
    suspend({ waits: waits.slice(0, mostTold), seen_place, wakes_at, conditions });
    reply(JSON.stringify({ type: "leave" }));
    hasLeft = true;
    leaving = setTimeout(() => stop("suspended"), leaveMs);
  }

  return {
    give(line) {
      if (hasLeft || !reply(line)) return false;
      disturb();
      given += 1;
      return true;
    },
    idle(frame) {
      disturb();
      if (frame.seen !== given) return;
      if (isCancelled) stop("cancelled");
      else rest(frame, isCrowded() ? 0 : restMs);
    },
    disturb,
    drain() {
      restMs = 0;
      letGo();
    },
    close() {
      disturb();
      clearTimeout(leaving);
      clearTimeout(replaying);
    },
  };
}
