import { setTimeout as sleep } from "node:timers/promises";
import type { EventId } from "../../shared/domain/run/event-id.ts";
import { isTerminalEvent } from "../../shared/domain/run/run-status.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { readRunStates } from "../../shared/store/runs/read/read-run-states.ts";
import { adjoins, type Backfill, join } from "./backfill.ts";
import type { Tail } from "./tail.ts";

export type FollowDeps = { db: Db; hub: { backfill: Backfill } };

/** Time between two looks for events that Redis lost and that the worker has not written to Postgres yet. */
const gapPollMs = 250;

/** Receives the events of a run. */
export type RunReader = {
  /** Takes the next events. Returns a promise when no more events should come until it resolves. */
  take(events: StreamEvent[]): Promise<void> | undefined;
  /** The stream is over. `events` are the last ones, up to the terminal event; may be empty. */
  end(events: StreamEvent[]): void;
  /** The stores could not be read. No other call follows. */
  fail(error: unknown): void;
};

/**
 * Gives `reader` a run's events after `cursor` in batches, each event once and in order, until the terminal event or until the
 * run waits for an answer.
 *
 * Backfill: the events that the stores hold. Redis is enough where it continues the cursor; else the transcript is read too.
 * Cutover: `tail` was opened before the backfill began, so the tail has every event that the backfill did not find.
 * Live: the tail's events, as long as each id follows the last one. At a gap the reader returns to the backfill.
 * No step waits for Redis to be available.
 *
 * `fresh`: the run was made after `tail` began to listen, so no backfill is needed. Following ends early when the tail ends
 * (this process is shutting down), when the caller closes the tail (the client is gone), and when the run had ended before
 * `cursor`. At its end the tail is closed. Between events only the tail refers to the reader, and no promise is pending:
 * thousands of idle readers stay small.
 */
export function followRun(
  deps: FollowDeps,
  runId: string,
  tail: Tail,
  start: { cursor: EventId; fresh: boolean; reader: RunReader },
): void {
  const { reader } = start;
  let cursor = idOf(start.cursor);
  let mustResync = !start.fresh;
  let state: "idle" | "working" | "over" = "idle";

  async function deliver(): Promise<void> {
    while (!tail.ended) {
      const events = mustResync ? await readStores() : readTail();
      if (events === "over") return finish([]);
      if (!events) return void (state = "idle");
      const last = events.at(-1);
      if (!last) continue;
      cursor = idOf(last);
      if (isTerminalEvent(last.type)) return finish(events);
      const behind = reader.take(events);
      if (behind) await behind;
      if (last.type === "run.interrupted" && (await isInterrupted(deps, runId))) return finish([]);
    }
    finish([]);
  }

  /** Returns the next events of the stores. The stores are read until they hold no more. */
  async function readStores(): Promise<StreamEvent[]> {
    const { events, gapAhead } = await deps.hub.backfill(runId, cursor);
    if (gapAhead && events.length === 0) await sleep(gapPollMs);
    mustResync = gapAhead || events.length > 0;
    return events;
  }

  /** Returns the tail's events up to its first gap. Null: the tail has none yet. */
  function readTail(): StreamEvent[] | "over" | null {
    const update = tail.take(cursor);
    if (update === null || update === "over") return update;
    const { events, gapAhead } = update === "resync" ? { events: [], gapAhead: true } : join(cursor, update, adjoins);
    mustResync = gapAhead;
    return events;
  }

  function finish(events: StreamEvent[]): void {
    state = "over";
    tail.close();
    reader.end(events);
  }

  tail.onUpdate(() => {
    if (state !== "idle") return;
    state = "working";
    deliver().catch((error: unknown) => {
      state = "over";
      tail.close();
      reader.fail(error);
    });
  });
}

/** Copies the id alone. The event itself may be large, and an idle reader would keep it in memory. */
const idOf = ({ attempt, seq }: EventId): EventId => ({ attempt, seq });

/** True when a run waits for an answer. Its stream ends there and continues under the same run id after the answer. */
async function isInterrupted({ db }: FollowDeps, runId: string): Promise<boolean> {
  const [state] = await readRunStates(db, [runId], null);
  return state?.status === "interrupted";
}
