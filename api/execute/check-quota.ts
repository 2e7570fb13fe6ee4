import type { CodeOf } from "../../shared/error-codes.ts";
import { AppError } from "../../shared/errors.ts";
import { readStanding, type Standing } from "../../shared/store/billing/read-standing.ts";
import type { Db } from "../../shared/store/client.ts";
import { isRepeat } from "../../shared/store/runs/is-repeat.ts";
import type { RepeatKey } from "../../shared/store/users/idempotency-keys.ts";

/** What was paid, or ended, counts after this; and so long other processes don't know of what this one let in. */
const maxAgeMs = 1_000;
const mostUsers = 10_000;

type Request = { user_id: string; run_id: string | null; key: RepeatKey | null };

export type Quota = {
  /** Lets one more run of a user in, or a repeat of one. Throws quota_exceeded, or too_many_requests where it is worth waiting. */
  admit(request: Request): Promise<void>;
  /** Throws as `admit` would, and takes nothing. */
  check(user_id: string): Promise<void>;
};

/** Users' quotas, each read at most once a second; what was let in since then is counted here. */
export function createQuota(db: Db): Quota {
  type Entry = { readAt: number; standing: Promise<Standing | null>; taken: number };
  const entries = new Map<string, Entry>();

  function entryOf(user_id: string): Entry {
    const now = performance.now();
    const known = entries.get(user_id);
    if (known && now - known.readAt < maxAgeMs) return known;
    if (entries.size >= mostUsers) entries.clear();
    const entry = { readAt: now, standing: readStanding(db, user_id), taken: 0 };
    entry.standing.catch(() => entries.delete(user_id));
    entries.set(user_id, entry);
    return entry;
  }

  return {
    async admit({ user_id, run_id, key }) {
      const entry = entryOf(user_id);
      const fault = quotaFault(await entry.standing, entry.taken);
      if (fault === null) entry.taken += 1;
      else if ((run_id === null && key === null) || !(await isRepeat(db, run_id, key))) throw fault;
    },
    async check(user_id) {
      const { standing, taken } = entryOf(user_id);
      const fault = quotaFault(await standing, taken);
      if (fault !== null) throw fault;
    },
  };
}

/** Why a user may not run one more, given what was let in since his standing was read. */
function quotaFault(standing: Standing | null, taken: number): AppError | null {
  if (!standing) return null;
  const { weekly_runs, weekly_micro_usd, max_queued_runs, max_concurrent_runs } = standing;
  const reaches = (used: number, bound: number | null): boolean => bound !== null && used >= bound;
  const refused = (code: CodeOf<"quota_exceeded">, message: string) => new AppError("quota_exceeded", code, message);
  const busy = (code: CodeOf<"too_many_requests">, message: string) =>
    new AppError("too_many_requests", code, message, 2);
  const { week_runs, unbooked, open, queued, reached_limit } = standing;
  if (standing.prepaid && standing.balance_micro_usd <= 0) return refused("wallet_empty", "The wallet is empty.");
  if (reached_limit !== null)
    return refused("spend_limit_reached", `The spend limit of this ${reached_limit} is reached.`);
  if (reaches(week_runs + unbooked + open + taken, weekly_runs))
    return refused("weekly_runs_reached", `The plan has ${weekly_runs} runs a week.`);
  if (reaches(standing.week_micro_usd, weekly_micro_usd))
    return refused("weekly_spend_reached", `The plan has ${weekly_micro_usd} micro-USD a week.`);
  if (reaches(queued + taken, max_queued_runs))
    return busy("too_many_queued_runs", `The plan has ${max_queued_runs} queued runs at once.`);
  if (reaches(open + taken, max_concurrent_runs))
    return busy("too_many_open_runs", `The plan has ${max_concurrent_runs} runs at once, with those that wait.`);
  return null;
}
