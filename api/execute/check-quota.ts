import { quotaFault } from "../../shared/services/runs/quota-fault.ts";
import { readQuotaState, type QuotaState } from "../../shared/store/billing/read-quota-state.ts";
import type { Db } from "../../shared/store/client.ts";

/** What was paid, or ended, counts after this; and so long other processes don't know of what this one let in. */
const maxAgeMs = 1_000;
const mostUsers = 10_000;

export type Quota = {
  /** Lets one more run of a user in. Throws quota_exceeded, or too_many_requests where it is worth waiting. */
  admit(user_id: string): Promise<void>;
  /** Throws as `admit` would, and takes nothing. */
  check(user_id: string): Promise<void>;
};

/** Users' quotas, each read at most once a second; what was let in since then is counted here. */
export function createQuota(db: Db): Quota {
  type Entry = { readAt: number; standing: Promise<QuotaState | null>; taken: number };
  const entries = new Map<string, Entry>();

  function entryOf(user_id: string): Entry {
    const now = performance.now();
    const known = entries.get(user_id);
    if (known && now - known.readAt < maxAgeMs) return known;
    if (entries.size >= mostUsers) entries.clear();
    const entry = { readAt: now, standing: readQuotaState(db, user_id), taken: 0 };
    entry.standing.catch(() => entries.delete(user_id));
    entries.set(user_id, entry);
    return entry;
  }

  return {
    async admit(user_id) {
      const entry = entryOf(user_id);
      const fault = quotaFault(await entry.standing, entry.taken);
      if (fault !== null) throw fault;
      entry.taken += 1;
    },
    async check(user_id) {
      const { standing, taken } = entryOf(user_id);
      const fault = quotaFault(await standing, taken);
      if (fault !== null) throw fault;
    },
  };
}
