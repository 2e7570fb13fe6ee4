import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import { cancelRun, type CancelDeps } from "../../shared/services/runs/cancel-run.ts";
import { endDueWaits } from "../../shared/store/journal/end-waits-of-running.ts";
import { abandonWait } from "../../shared/store/journal/give-signal.ts";
import { openWait } from "../../shared/store/journal/open-wait.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { OpenWait } from "../channel/suspension.ts";
import { placeOf } from "../channel/call-fields.ts";
import type { WaitOpen } from "../channel/wait-frame.ts";
import type { AbortReason } from "../lease/abort-reason.ts";
import { type Entry, type EntryContent, storedKey } from "../../shared/services/journal/entry.ts";
import type { ReplayState } from "./read-replay-state.ts";
import type { Settled } from "./settle-output.ts";

/** What an attempt's agent waits for, that the service knows of. */
export type Waits = {
  /** Opens a wait, or finds it open. What it ends as is handed over by the journal. */
  open(frame: WaitOpen): Promise<void>;
  /** Notes that a wait is about to be opened by others: what gives it up waits for that. */
  opening(key: string, done: Promise<void>): Promise<void>;
  /** Ends a wait that the code gave up. */
  abandon(key: string): Promise<void>;
  /** Notes, and tells, that a wait has ended. */
  ended(entry: Entry): void;
  /** Notes a wait that others have opened. */
  note(stored_key: string, wait: OpenWait): void;
  /** Returns what is waited for now: of a call that waits for several runs, how many. */
  all(): OpenWait[];
  close(): void;
};

type Options = {
  deps: CancelDeps;
  run: HeldRun & { cancel_requested: boolean };
  kept: ReplayState | null;
  publish: (event: RunEventBody) => Promise<void>;
  stop: (reason: AbortReason) => void;
  /** Reads what waits have ended as, and hands it over. */
  look: () => Promise<void>;
  seal: SealSettled;
};

/** Seals what an entry says, with what it settles. `committed` is to be called when it is. Resolves with null when the journal is full. */
export type SealSettled = (
  stored_key: string,
  contentWith: (settled: Omit<Settled, "isSaid">) => EntryContent,
) => Promise<{ bytes: Buffer; committed: () => void } | null>;

/** What ended a wait, by the kind of its entry. */
const endedBy: Readonly<Record<string, "signal" | "timeout">> = { signal: "signal", late: "timeout" };

const nothing = { bytes: Buffer.alloc(0), committed: (): void => undefined };

/** Waits that have ended are looked for so often beside the messages that tell of them, which may be lost. */
const lookEveryMs = 1_000;
/** As long as a timer of Node's may be. */
const longestTimerMs = 2 ** 31 - 1;

export function openWaits({ deps, run, kept, publish, stop, look, seal }: Options): Waits {
  const { db } = deps;
  /** By stored key. */
  const open = new Map<string, OpenWait>();
  const opening = new Map<string, Promise<void>>();
  /** Waits that ended already, and that were told. */
  const over = new Set<string>();
  const known = new Set(kept?.open);
  let looking: NodeJS.Timeout | undefined;
  let timer: { at: number; handle: NodeJS.Timeout } | null = null;
  arm(kept?.due_in_ms ?? null);

  function arm(in_ms: number | null): void {
    if (in_ms === null) return;
    const at = performance.now() + in_ms;
    if (timer && timer.at <= at) return;
    clearTimeout(timer?.handle);
    timer = { at, handle: setTimeout(() => void fire(), Math.min(Math.max(in_ms, 0), longestTimerMs)) };
  }

  async function fire(): Promise<void> {
    timer = null;
    const next = await untilPostgresAnswers(() => endDueWaits(db, run)).catch(() => null);
    arm(next === null ? null : Math.max(next, 1));
    await look().catch(() => undefined);
  }

  function note(stored_key: string, wait: OpenWait): void {
    if (over.has(stored_key)) return;
    open.set(stored_key, wait);
    looking ??= setInterval(() => void look().catch(() => undefined), lookEveryMs);
  }

  async function openNow(frame: WaitOpen, stored_key: string): Promise<void> {
    const { kind, names, seconds, until } = frame;
    const isKnown = known.has(stored_key);
    // One that is open keeps what it said when it was opened.
    const sealed = isKnown ? nothing : await seal(stored_key, (settled) => contentOf(frame, settled));
    if (!sealed) return;
    const due = {
      due_in_ms: seconds === null ? null : seconds * 1000,
      due_at: until === null ? null : new Date(until),
    };
    const wait = { ...run, key: stored_key, kind, names, ...due, sealed_entry: sealed.bytes };
    const opened = await untilPostgresAnswers(() => openWait(db, wait));
    if (!opened) return stop("fenced");
    sealed.committed();
    if (over.has(stored_key)) return look();
    const at = opened.due_in_ms === null ? null : new Date(Date.now() + opened.due_in_ms).toISOString();
    const now = { kind, name: frame.name, until: at };
    note(stored_key, now);
    if (!isKnown) void publish({ type: "wait.opened", key: frame.key, ...now });
    arm(opened.due_in_ms);
    // What came before the process had begun was not told.
    if (opened.place !== null || isKnown) await look();
  }

  function follow(key: string, done: Promise<void>): Promise<void> {
    opening.set(storedKey(key, null), done);
    return done;
  }

  return {
    open(frame) {
      const stored_key = storedKey(frame.key, null);
      // The run has come to where it waits, to clean up there: nothing that it waits for is of use any more.
      if (run.cancel_requested && known.has(stored_key)) return Promise.resolve();
      return follow(frame.key, openNow(frame, stored_key));
    },
    opening: follow,
    async abandon(key) {
      const stored_key = storedKey(key, null);
      await opening.get(stored_key);
      const given_up = await untilPostgresAnswers(() => abandonWait(db, run, stored_key));
      if (!given_up) return stop("fenced");
      open.delete(stored_key);
      // A child that isn't cancelled here is cancelled when this run ends.
      if (given_up.child_id !== null)
        await cancelRun(deps, given_up.child_id, { owner: null, actor: run.id }).catch(() => undefined);
      await look();
    },
    note,
    ended({ key, kind, name, stored_key, signal = null, child }) {
      if (over.has(stored_key)) return;
      over.add(stored_key);
      open.delete(stored_key);
      if (child) {
        if (kind !== "started") void publish({ type: "child.ended", key, name, ...toldOf(child) });
        return;
      }
      void publish({ type: "wait.ended", key, name, by: endedBy[kind] ?? "timer", signal });
    },
    all: () => together([...open.values()]),
    close() {
      clearInterval(looking);
      clearTimeout(timer?.handle);
    },
  };
}

const toldOf = ({ run_id, status, code }: NonNullable<Entry["child"]>) => ({ child_run_id: run_id, status, code });

/** Children that one call waits for are told as one wait. */
function together(waits: readonly OpenWait[]): OpenWait[] {
  const children = new Map<string, number>();
  for (const { kind, name } of waits) if (kind === "child") children.set(name, (children.get(name) ?? 0) + 1);
  return [
    ...waits.filter(({ kind }) => kind !== "child"),
    ...[...children].map(([name, count]) => ({ kind: "child", name, until: null, children: count }) as const),
  ];
}

/** What a wait ends as, as far as it is known when it opens. */
function contentOf(frame: WaitOpen, settled: Omit<Settled, "isSaid">): EntryContent {
  const { error } = frame;
  const open = { ...placeOf(frame), try: 1, args: null, ok: true, own: [] };
  return { ...open, ...(error !== undefined && { error }), ...settled };
}
