import { AppError } from "../../shared/domain/errors/app-error.ts";
import type { Db } from "../../shared/store/client.ts";
import { isRepeat } from "../../shared/store/users/idempotency-keys.ts";
import type { RepeatKey } from "../../shared/store/users/idempotency-keys.ts";
import { createQuota } from "./check-quota.ts";
import { createQueueView, type QueueLimits } from "./queue-view.ts";

type Asked = { user_id: string; agent_id: string; run_id: string | null; key: RepeatKey | null };

export type Admission = {
  /**
   * Lets one more run in: its owner's plan and the queue must have room. Gives its position in the queue. A repeat of a
   * request whose run stands is always let in, and has none: null. Throws what `Quota.admit` and `QueueView.enter` do.
   */
  admit(asked: Asked): Promise<number | null>;
  /** Throws where the owner's plan has no room, and takes nothing. */
  check(user_id: string): Promise<void>;
};

/** What stands between a request that is right in itself and its run. */
export function createAdmission(db: Db, limits: QueueLimits): Admission {
  const quota = createQuota(db);
  const room = createQueueView(db, limits);
  return {
    async admit(asked) {
      try {
        await quota.admit(asked.user_id);
        return await room.enter(asked);
      } catch (fault) {
        const { run_id, key } = asked;
        const mayRepeat = fault instanceof AppError && (run_id !== null || key !== null);
        if (!mayRepeat || !(await isRepeat(db, run_id, key))) throw fault;
        return null;
      }
    },
    check: (user_id) => quota.check(user_id),
  };
}
