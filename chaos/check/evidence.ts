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

/** All that is known when the dust has settled: of the clients, of the receiver, of the database, of the nemesis. */
export type Evidence = {
  accepted: AcceptedRun[];
  histories: History[];
  refused: string[];
  deliveries: readonly Delivery[];
  runs: Map<string, RunRow>;
  /** Of one run, in order. */
  transitions: Map<string, TransitionRow[]>;
  transcripts: Map<string, SeenEvent[]>;
  outbox: Map<string, OutboxRow[]>;
  struck: Struck[];
  stalls: readonly Stall[];
  leaseMs: number;
  /** How many there were. */
  workers: number;
};

/** One promise: a sentence for each case in which it was broken. */
export type Invariant = (evidence: Evidence) => string[];
