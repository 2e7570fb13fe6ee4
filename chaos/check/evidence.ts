import type { AcceptedRun } from "../drive/drive-runs.ts";
import type { History, SeenEvent } from "../drive/history.ts";
import type { Delivery } from "../drive/receiver.ts";
import type { Struck } from "../nemesis/nemesis.ts";
import type { Stall } from "../stack/watch-stalls.ts";

export type RunRow = {
  id: string;
  status: string;
  attempt: number;
  lost_attempts: number;
  max_attempts: number;
  result_content: unknown;
  error_code: string | null;
};

export type TransitionRow = { run_id: string; from: string | null; to: string; reason: string | null; at_ms: number };

export type OutboxRow = { id: string; run_id: string; status: string };

/** What the clients, the callbacks' receiver, the database and the nemesis know at the end. */
export type Evidence = {
  accepted: AcceptedRun[];
  histories: History[];
  refused: string[];
  deliveries: readonly Delivery[];
  runs: Map<string, RunRow>;
  /** By run, in order. */
  transitions: Map<string, TransitionRow[]>;
  transcripts: Map<string, SeenEvent[]>;
  outbox: Map<string, OutboxRow[]>;
  struck: Struck[];
  stalls: readonly Stall[];
  leaseMs: number;
  /** The number of workers. */
  workers: number;
};

/** A promise. Returns a sentence for each case in which the promise was broken. */
export type Invariant = (evidence: Evidence) => string[];
