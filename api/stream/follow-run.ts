import { setTimeout as sleep } from "node:timers/promises";
import type { EventId } from "../../shared/domain/run/event-id.ts";
import { isTerminalEvent } from "../../shared/domain/run/run-status.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { readRunStates } from "../../shared/store/runs/read-run-states.ts";
import { adjoins, type FillIn, join } from "./fill-in.ts";
import type { Tail } from "./tail.ts";

export type FollowDeps = { db: Db; hub: { fillIn: FillIn } };

/** How long a gap may wait for the worker to write behind what Redis lost. */
const gapPollMs = 250;

/** Who reads a run. */
export type RunReader = {
  /** The next events. Gives a promise where no more should come until it resolves. */
  take(events: StreamEvent[]): Promise<void> | undefined;
  /** No more comes: with the terminal event and those before it, or with none. */
  end(events: StreamEvent[]): void;
  /** The stores could not be read. Nothing comes after it. */
  fail(error: unknown): void;
};

/**
 * Gives `reader` a run's events after `cursor`, in batches, each event once and in order, until its terminal one, or until it
 * waits for a person.
 *
 * Backfill: what the stores hold, Redis where it joins the cursor, else the transcript. Cutover: `tail` was opened before
 * the backfill began, so whatever the backfill did not hold is in the tail. Live: what the tail brings, as long as each
 * event follows the last by arithmetic; when one doesn't, back to the backfill. It never waits for Redis to be there.
 *
 * `fresh`: the run was made after `tail` listened, so there is nothing to fill in. Ends early when the tail ends (the
 * process goes) or is closed by the caller (the reader went), and when the run has ended before `cursor`; closes the tail. Between events the tail alone knows of it: no
 * promise waits, which is what makes thousands of idle readers small.
 */
export function followRun(
  deps: FollowDeps,
  runId: string,
  tail: Tail,
  start: { cursor: EventId; fresh: boolean; reader: RunReader },
): void {
  const { reader } = start;
  let cursor = placeOf(start.cursor);
  let mustResync = !start.fresh;
  let state: "rests" | "works" | "over" = "rests";

  async function handOver(): Promise<void> {
    while (!tail.ended) {
      const events = mustResync ? await lookUp() : listen();
      if (events === "over") return finish([]);
      if (!events) return void (state = "rests");
      const last = events.at(-1);
      if (!last) continue;
      cursor = placeOf(last);
      if (isTerminalEvent(last.type)) return finish(events);
      const behind = reader.take(events);
      if (behind) await behind;
      if (last.type === "run.interrupted" && (await isAside(deps, runId))) return finish([]);
    }
    finish([]);
  }

  /** What the stores hold next. They are read until they hold nothing more. */
  async function lookUp(): Promise<StreamEvent[]> {
    const { events, gapAhead } = await deps.hub.fillIn(runId, cursor);
    if (gapAhead && events.length === 0) await sleep(gapPollMs);
    mustResync = gapAhead || events.length > 0;
    return events;
  }

  /** What the tail brings, until it skips something. Null: nothing yet. */
  function listen(): StreamEvent[] | "over" | null {
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
    if (state !== "rests") return;
    state = "works";
    handOver().catch((error: unknown) => {
      state = "over";
      tail.close();
      reader.fail(error);
    });
  });
}

/** Without the event that stands there, which may be large: an idle reader would keep it. */
const placeOf = ({ attempt, seq }: EventId): EventId => ({ attempt, seq });

/** Whether a run waits for a person: its stream ends there, and goes on under the same id once it was answered. */
async function isAside({ db }: FollowDeps, runId: string): Promise<boolean> {
  const [state] = await readRunStates(db, [runId], null);
  return state?.status === "interrupted";
}
