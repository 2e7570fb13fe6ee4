import {
  type ChildCall,
  type ChildDeps,
  type StartedChild,
  startChildren,
} from "../../shared/services/children/start-children.ts";
import { type EntryContent, storedKey } from "../../shared/services/journal/entry.ts";
import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import { appendEntry } from "../../shared/store/journal/append-entries.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import { placeOf } from "../channel/call-fields.ts";
import type { ChildOpen } from "../channel/child-frame.ts";
import type { AbortReason } from "../lease/abort-reason.ts";
import type { ReplayState } from "./read-replay-state.ts";
import type { Settled } from "./settle-output.ts";
import type { Waits } from "./waits.ts";

/** The runs that an attempt's agent starts. */
export type Children = {
  /** Starts a run, or finds it started. What it ends as is handed over by the journal. */
  open(frame: ChildOpen): Promise<void>;
};

type SealedEntry = { bytes: Buffer; committed: () => void };
type ContentWith = (settled: Omit<Settled, "isSaid">) => EntryContent;

type Options = {
  deps: ChildDeps;
  run: HeldRun;
  kept: ReplayState | null;
  publish: (event: RunEventBody) => Promise<void>;
  stop: (reason: AbortReason) => void;
  look: () => Promise<void>;
  seal: (stored_key: string, contentWith: ContentWith) => Promise<SealedEntry | null>;
  waits: Pick<Waits, "note">;
};

type ChildStart = {
  frame: ChildOpen;
  stored_key: string;
  sealed: SealedEntry;
  done: (started: StartedChild | null) => void;
};

/** Runs that are started in one transaction, at most. */
const mostAtOnce = 50;

/** Starts runs in the order of the calls, those together that are called for while others are started. */
export function openChildren({ deps, run, kept, publish, stop, look, seal, waits }: Options): Children {
  const known = new Set(kept?.open);
  const asked: ChildStart[] = [];
  let starting: Promise<void> | null = null;

  async function startAsked(): Promise<void> {
    while (asked.length > 0) {
      const batch = asked.splice(0, mostAtOnce);
      const calls = batch.map(({ frame, stored_key, sealed }) => callOf(run.id, frame, stored_key, sealed));
      const started = await untilPostgresAnswers(() => startChildren(deps, run, calls)).catch((error: unknown) => {
        stop("fenced");
        throw error;
      });
      if (!started) stop("fenced");
      for (const [index, { done }] of batch.entries()) done(started?.[index] ?? null);
    }
  }

  function start(frame: ChildOpen, stored_key: string, sealed: SealedEntry): Promise<StartedChild | null> {
    return new Promise((resolve, reject) => {
      asked.push({ frame, stored_key, sealed, done: resolve });
      starting ??= startAsked().finally(() => (starting = null));
      starting.catch(reject);
    });
  }

  /** Keeps why a run was not started, as an error that the code can catch. */
  async function refuse(frame: ChildOpen, stored_key: string, code: string, message: string): Promise<void> {
    const error = { type: "ChildFailed", module: "runfleet", message };
    const child = { run_id: null, status: "refused", code };
    const sealed = await seal(stored_key, (settled) => ({ ...contentOf(frame, settled), ok: false, error, child }));
    if (!sealed) return;
    const entry = { run_id: run.id, attempt: run.attempt, key: stored_key, kind: "child_failed", writer: "worker" };
    const place = await untilPostgresAnswers(() => appendEntry(deps.db, { ...entry, sealed_entry: sealed.bytes }));
    if (place === null) return stop("fenced");
    sealed.committed();
  }

  return {
    async open(frame) {
      const stored_key = storedKey(frame.key, null);
      const { key, name, agent_id, detached } = frame;
      const wait = { kind: "child", name, until: null } as const;
      if (known.has(stored_key)) {
        waits.note(stored_key, wait);
        return look();
      }
      const sealed = await seal(stored_key, (settled) => contentOf(frame, settled));
      if (!sealed) return;
      const started = await start(frame, stored_key, sealed);
      if (!started) return;
      if (started.kind === "refused") await refuse(frame, stored_key, started.code, started.message);
      else {
        sealed.committed();
        if (started.isNew)
          void publish({ type: "child.started", key, name, child_run_id: started.run_id, agent_id, detached });
        if (!detached) waits.note(stored_key, wait);
      }
      await look();
    },
  };
}

function callOf(run_id: string, frame: ChildOpen, key: string, sealed: SealedEntry): ChildCall {
  const { agent_id, version, input, detached, concurrency } = frame;
  const group = concurrency && { ...concurrency, group: `${run_id} ${storedKey(concurrency.group, null)}` };
  return { key, agent_id, version, input_payload: input, detached, concurrency: group, sealed_entry: sealed.bytes };
}

/** What the entry says, but for what the run comes to. */
const contentOf = (frame: ChildOpen, settled: Omit<Settled, "isSaid">): EntryContent => ({
  ...{ ...placeOf(frame), try: 1, args: null, ok: true, own: [] },
  ...settled,
});
