import type { Db } from "../../shared/store/client.ts";
import { readRemainingSpend } from "../../shared/store/billing/read-remaining-spend.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";

/** What the owners of this worker's runs may still spend on calls. In millionths of a US dollar. */
export type RemainingSpend = {
  /** Returns what is left for a run that was accepted under a plan; Infinity where nothing bounds the owner. */
  room(user_id: string, plan_id: string | null): Promise<number>;
  /** Counts what a call may cost against the owner until it is given back. */
  take(user_id: string, reserved: number): void;
  /** `spent`: what the call has cost. Postgres has it by now. */
  giveBack(user_id: string, reserved: number, spent: number): void;
};

/** What other workers' calls have cost is known after this time, or after so many times what the last read took. */
const maxAgeMs = 1_000;
const restFactor = 20;
const mostOwners = 10_000;

/** `stored`: what Postgres says. `written`: what calls had cost by then that this worker has written. */
type Read = { until: number; written: number; stored: Promise<number | null> };
/** `reads`: by the plan. */
type Owner = { taken: number; written: number; reads: Map<string | null, Read> };

/** An owner's stored room is read once a second, and less often where that takes long. What calls of this worker's runs take, and have cost since, is counted at once. */
export function createRemainingSpend(db: Db): RemainingSpend {
  const owners = new Map<string, Owner>();

  function ownerOf(user_id: string): Owner {
    const known = owners.get(user_id);
    if (known) return known;
    if (owners.size >= mostOwners) for (const [id, { taken }] of owners) if (taken < 0.5) owners.delete(id);
    const owner: Owner = { taken: 0, written: 0, reads: new Map() };
    owners.set(user_id, owner);
    return owner;
  }

  function read(user_id: string, plan_id: string | null, owner: Owner): Read {
    const now = performance.now();
    const known = owner.reads.get(plan_id);
    if (known && now < known.until) return known;
    const stored = untilPostgresAnswers(() => readRemainingSpend(db, user_id, plan_id));
    const current: Read = { until: Infinity, written: owner.written, stored };
    stored.then(
      () => (current.until = Math.max(now + maxAgeMs, now + (performance.now() - now) * restFactor)),
      () => owner.reads.delete(plan_id),
    );
    owner.reads.set(plan_id, current);
    return current;
  }

  return {
    async room(user_id, plan_id) {
      const owner = ownerOf(user_id);
      const { stored, written } = read(user_id, plan_id, owner);
      const known = await stored;
      return known === null ? Infinity : known - owner.taken - (owner.written - written);
    },
    take: (user_id, reserved) => void (ownerOf(user_id).taken += reserved),
    giveBack(user_id, reserved, spent) {
      const owner = ownerOf(user_id);
      owner.taken -= reserved;
      owner.written += spent;
    },
  };
}
