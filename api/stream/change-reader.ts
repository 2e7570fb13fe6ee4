import { setTimeout as sleep } from "node:timers/promises";
import { formatMoveCursor, isAfter, type MoveCursor } from "../../shared/domain/run/move-cursor.ts";
import type { ChangesResync } from "../../shared/schemas/run-change.ts";

import type { Move, MovedRun } from "../../shared/store/runs/read/run-changes.ts";
import { encodeMessage } from "./write-sse.ts";

/** So many changed runs wait for a reader. When more do, the reader is told to read the list anew. */
const mostWaiting = 500;
/** After that a reader hears nothing for this long. */
const restMs = 3_000;

type Reason = ChangesResync["reason"];
type Resync = { reason: Reason; place: MoveCursor };

/** What has become of a run. */
export type RunChange = {
  /** Of its last move. */
  place: MoveCursor;
  run: MovedRun;
  moves: readonly Move[];
  /** Returns the event's text, which is made once for all readers. */
  encode(matches: boolean): string;
};

/** True: the run is in the reader's list. False: it may have been, and no longer is. Null: it never was. */
export type MembershipOf = (run: MovedRun, moves: readonly Move[]) => boolean | null;

/** One reader of changes. */
export type ChangeReader = {
  /** `missed`: the changes that came before, or why they are not told. What was added until then comes after it. */
  begin(at: MoveCursor, missed: readonly RunChange[] | Reason): void;
  /** `place`: behind all of the changes. */
  add(changes: readonly RunChange[], place: MoveCursor): void;
  /** What came before the place is not told. */
  lose(place: MoveCursor): void;
  /** Yields the texts of events at the reader's pace, until the signal is aborted. Closes the reader. */
  texts(until: AbortSignal): AsyncGenerator<string>;
  close(): void;
};

export function createChangeReader(membershipOf: MembershipOf, onClose: () => void): ChangeReader {
  /** Of each run the last change. */
  const waiting = new Map<string, string>();
  let lost: Resync | null = null;
  let early: [readonly RunChange[], MoveCursor][] | null = [];
  let seen: MoveCursor = { xact: 0n, seq: 0n };
  let wake: () => void = () => undefined;

  function lose(place: MoveCursor, reason: Reason = "too_many"): void {
    waiting.clear();
    lost = { reason, place };
    wake();
  }

  function add(changes: readonly RunChange[], place: MoveCursor): void {
    if (early) return void early.push([changes, place]);
    for (const change of changes) {
      const matches = isAfter(change.place, seen) ? membershipOf(change.run, change.moves) : null;
      if (matches === null) continue;
      waiting.delete(change.run.id);
      waiting.set(change.run.id, change.encode(matches));
    }
    seen = changes.at(-1)?.place ?? seen;
    if (waiting.size > mostWaiting) lose(place);
    else if (waiting.size > 0) wake();
  }

  return {
    begin(at, missed) {
      const held = early ?? [];
      early = null;
      seen = at;
      if (typeof missed === "string") lose(at, missed);
      else add(missed, at);
      for (const [changes, place] of held) add(changes, place);
    },
    add,
    lose: (place) => {
      early = early && [];
      lose(place);
    },
    async *texts(until) {
      const stop = (): void => wake();
      until.addEventListener("abort", stop);
      try {
        while (!until.aborted) {
          const resync = lost;
          lost = null;
          const text = (resync ? encodeResync(resync) : "") + take(waiting);
          if (text !== "") yield text;
          else await new Promise<void>((resolve) => (wake = resolve));
          if (resync?.reason === "too_many") await rest(until);
        }
      } finally {
        until.removeEventListener("abort", stop);
        onClose();
      }
    },
    close: onClose,
  };
}

function take(waiting: Map<string, string>): string {
  const texts = [...waiting.values()];
  waiting.clear();
  return texts.join("");
}

const encodeResync = ({ reason, place }: Resync): string =>
  encodeMessage({
    event: "resync",
    id: formatMoveCursor(place),
    data: { type: "resync", reason } satisfies ChangesResync,
  });

/** Resolves, too, when the signal is aborted. */
const rest = (until: AbortSignal): Promise<unknown> =>
  sleep(restMs, undefined, { signal: until }).catch(() => undefined);
