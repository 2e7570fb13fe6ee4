import type { Db } from "../../shared/store/client.ts";
import { readRemainingSpend } from "../../shared/store/billing/read-remaining-spend.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";

/** What the owners of this worker's runs may still spend on calls. In millionths of a US dollar. */
export type RemainingSpend = {
  /** Returns what is left; Infinity where nothing bounds the owner. */
  room(user_id: string): Promise<number>;
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
type Owner = { taken: number; written: number; read: Read | null };

/** An owner's stored room is read once a second, and less often where that takes long. What calls of this worker's runs take, and have cost since, is counted at once. */
export function createRemainingSpend(db: Db): RemainingSpend {
  const owners = new Map<string, Owner>();

  function ownerOf(user_id: string): Owner {
    const known = owners.get(user_id);
    if (known) return known;
    if (owners.size >= mostOwners) for (const [id, { taken }] of owners) if (taken < 0.5) owners.delete(id);
    const owner: Owner = { taken: 0, written: 0, read: null };
    owners.set(user_id, owner);
    return owner;
  }

  function read(user_id: string, owner: Owner): Read {
    const now = performance.now();
    if (owner.read && now < owner.read.until) return owner.read;
    const stored = untilPostgresAnswers(() => readRemainingSpend(db, user_id));
    const current: Read = { until: Infinity, written: owner.written, stored };
    stored.then(
      () => (current.until = Math.max(now + maxAgeMs, now + (performance.now() - now) * restFactor)),
      () => (owner.read = null),
    );
    owner.read = current;
    return current;
  }

  return {
    async room(user_id) {
      const owner = ownerOf(user_id);
      const { stored, written } = read(user_id, owner);
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
