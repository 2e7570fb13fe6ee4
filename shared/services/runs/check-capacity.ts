import { AppError } from "../../domain/errors/app-error.ts";
import type { Db } from "../../store/client.ts";
import { isRepeat, type RepeatKey } from "../../store/users/idempotency-keys.ts";
import type { PlanRunLimits } from "../../store/runs/queue/plan-limits.ts";
import { boundsOf, createQuotaChecker } from "./check-quota.ts";
import type { QueueLimiter } from "./check-queue-limits.ts";

type NextRun = { user_id: string; agent_id: string; run_id: string | null; key: RepeatKey | null };

export type CapacityReservation = {
  /** In the queue. Null for a request whose run exists already. */
  position: number | null;
  /** By which the insert counts the run. */
  bounds: PlanRunLimits;
};

export type CapacityChecker = {
  /**
   * Reserves capacity for one more run: the owner's plan and the queue must have room. A request whose run exists already is never
   * refused. Throws what `QuotaChecker.reserve` and `QueueRoom.reserve` throw.
   */
  reserve(next: NextRun): Promise<CapacityReservation>;
  /** Throws when the owner's plan has no room. Reserves nothing. */
  check(user_id: string): Promise<void>;
};

/** Checks whether one more run has room: in its owner's plan and in the queue. */
export function createCapacityChecker(db: Db, room: QueueLimiter): CapacityChecker {
  const quota = createQuotaChecker(db);
  return {
    async reserve(next) {
      try {
        const bounds = await quota.reserve(next.user_id);
        return { position: await room.reserve(next), bounds };
      } catch (fault) {
        const { run_id, key } = next;
        const mayBeRepeat = fault instanceof AppError && (run_id !== null || key !== null);
        if (!mayBeRepeat || !(await isRepeat(db, run_id, key))) throw fault;
        return { position: null, bounds: boundsOf(null) };
      }
    },
    check: (user_id) => quota.check(user_id),
  };
}
