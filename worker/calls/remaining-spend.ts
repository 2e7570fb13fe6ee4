import type { Db } from "../../shared/store/client.ts";
import { readRemainingSpend } from "../../shared/store/billing/read-remaining-spend.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";

/** What the owners of this worker's runs may still spend on calls. In millionths of a US dollar. */
export type RemainingSpend = {
  /** Returns what is left; Infinity where nothing bounds the owner. */
  room(user_id: string): Promise<number>;
  /** Counts an amount against the owner until it is given back. */
  take(user_id: string, amount: number): void;
  giveBack(user_id: string, amount: number): void;
};

/** What other workers' runs spend is known after this time. */
const maxAgeMs = 1_000;
const mostOwners = 10_000;

type Entry = { readAt: number; stored: Promise<number | null> };

/** An owner's stored room is read at most once a second. What calls of this worker's runs take is counted at once. */
export function createRemainingSpend(db: Db): RemainingSpend {
  const entries = new Map<string, Entry>();
  const taken = new Map<string, number>();

  function read(user_id: string): Promise<number | null> {
    const now = performance.now();
    const known = entries.get(user_id);
    if (known && now - known.readAt < maxAgeMs) return known.stored;
    if (entries.size >= mostOwners) entries.clear();
    const stored = untilPostgresAnswers(() => readRemainingSpend(db, user_id));
    stored.catch(() => entries.delete(user_id));
    entries.set(user_id, { readAt: now, stored });
    return stored;
  }

  return {
    async room(user_id) {
      const stored = await read(user_id);
      return stored === null ? Infinity : stored - (taken.get(user_id) ?? 0);
    },
    take: (user_id, amount) => void taken.set(user_id, (taken.get(user_id) ?? 0) + amount),
    giveBack(user_id, amount) {
      const left = (taken.get(user_id) ?? 0) - amount;
      if (left > 0.5) taken.set(user_id, left);
      else taken.delete(user_id);
    },
  };
}
