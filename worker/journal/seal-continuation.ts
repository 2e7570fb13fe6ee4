import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import type { Continuation } from "../../shared/services/journal/continuation.ts";
import { sealEntry, storedKey } from "../../shared/services/journal/entry.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";

/** Returns the entry with which the journal of a run begins anew, and its key in the table. */
export async function sealContinuation(
  keyRing: KeyRing,
  { id, attempt }: HeldRun,
  said: Omit<Continuation, "leg">,
): Promise<{ key: string; sealed_entry: Buffer }> {
  const stored_key = storedKey("continued", attempt);
  const call = { key: "continued", name: "continue_as", branch: "", position: 0, try: 1, args: null, ok: true };
  const entry = {
    ...call,
    segments: [],
    events: [],
    outputs: false,
    own: [],
    continuation: { ...said, leg: `+${attempt}` },
  };
  return { key: stored_key, sealed_entry: await sealEntry(keyRing, { run_id: id, stored_key }, entry) };
}
