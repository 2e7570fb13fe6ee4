import { formatMoveCursor, type MoveCursor } from "../../shared/domain/run/move-cursor.ts";
import type { RunChanged } from "../../shared/schemas/run-change.ts";
import { startLoop } from "../../shared/platform/lifecycle/start-loop.ts";
import type { Log } from "../../shared/platform/log.ts";
import type { Db } from "../../shared/store/client.ts";
import {
  type Move,
  type MovedRun,
  readMovedRuns,
  readMoves,
  readPresentPlace,
} from "../../shared/store/runs/read/run-changes.ts";
import { type ChangeReader, createChangeReader, type MembershipOf, type RunChange } from "./change-reader.ts";
import { encodeMessage } from "./write-sse.ts";

/** Postgres is asked this often, once for all readers of this process. Changes of a run within that time are one. */
const pollMs = 250;
/** So many moves are read at once, and so often before the rest is left out. */
const batch = 1_000;
const mostBatches = 10;

/** Changes of all runs, for any number of readers of this process. Nothing is asked while there are none. */
export type RunChanges = {
  /** `after`: the place to go on after; null: now. The reader must be closed. */
  follow(membershipOf: MembershipOf, after: MoveCursor | null): Promise<ChangeReader>;
  close(): Promise<void>;
};

export function openRunChanges({ db, log }: { db: Db; log: Log }): RunChanges {
  const readers = new Set<ChangeReader>();
  /** What is behind it is told to every reader. */
  let place: MoveCursor | null = null;
  let beginning: Promise<MoveCursor> | null = null;

  /** Returns the place, which is the present one when there were no readers. */
  async function begin(): Promise<MoveCursor> {
    beginning ??= readPresentPlace(db.sql).finally(() => (beginning = null));
    const present = await beginning;
    return (place ??= present);
  }

  async function tellNews(): Promise<void> {
    for (let count = 0; count < mostBatches; count++) {
      if (readers.size === 0) return void (place = null);
      const moves = await readMoves(db.sql, place ?? (await begin()), batch);
      const last = moves.at(-1);
      if (!last) return;
      const changes = await describe(db, moves);
      place = last.place;
      for (const reader of readers) reader.add(changes, place);
      if (moves.length < batch) return;
    }
    place = await readPresentPlace(db.sql);
    for (const reader of readers) reader.lose(place);
  }

  const loop = startLoop("run-changes", pollMs, log, tellNews);
  return {
    async follow(membershipOf, after) {
      const reader = createChangeReader(membershipOf, () => readers.delete(reader));
      readers.add(reader);
      try {
        await catchUp(db, reader, { after, present: place ?? (await begin()) });
      } catch (error) {
        reader.close();
        throw error;
      }
      return reader;
    },
    close: () => loop.close(),
  };
}

type Missed = { after: MoveCursor | null; present: MoveCursor };

/** Tells a reader what it has missed since it was cut. */
async function catchUp(db: Db, reader: ChangeReader, { after, present }: Missed): Promise<void> {
  // A later place is of another database, such as the one before a restore.
  if (after === null || after.xact > (await readPresentPlace(db.sql)).xact) return reader.begin(present, "start");
  const moves = await readMoves(db.sql, after, batch);
  if (moves.length === batch) return reader.begin(present, "too_old");
  reader.begin(after, moves.length > 0 ? await describe(db, moves) : []);
}

/** In the order of the runs' last moves: whoever was told of a change was told of all before it. */
async function describe(db: Db, moves: readonly Move[]): Promise<RunChange[]> {
  const byRun = new Map<string, Move[]>();
  for (const move of moves) {
    const own = [...(byRun.get(move.run_id) ?? []), move];
    byRun.delete(move.run_id);
    byRun.set(move.run_id, own);
  }
  const runs = new Map((await readMovedRuns(db.sql, [...byRun.keys()])).map((run) => [run.id, run]));
  return [...byRun].flatMap(([id, own]) => {
    const [run, last] = [runs.get(id), own.at(-1)];
    return run && last ? [changeOf(run, own, last.place)] : [];
  });
}

function changeOf(run: MovedRun, moves: readonly Move[], place: MoveCursor): RunChange {
  const texts = new Map<boolean, string>();
  return {
    ...{ place, run, moves },
    encode(matches) {
      const text = texts.get(matches) ?? encodeChange(run, place, matches);
      texts.set(matches, text);
      return text;
    },
  };
}

const iso = (time: Date | null): string | null => time?.toISOString() ?? null;

function encodeChange(run: MovedRun, place: MoveCursor, matches: boolean): string {
  const { labels: _labels, lifecycle: _lifecycle, parent_run_id: _parent, root_run_id: _root, ...rest } = run;
  const { queued_at, error, started_at, ...shown } = rest;
  const data: RunChanged = {
    type: "run.changed",
    matches,
    ...shown,
    error: error && { code: error.code, type: error.type, message: error.message },
    created_at: run.created_at.toISOString(),
    scheduled_at: run.status === "scheduled" ? iso(run.scheduled_at) : null,
    started_at: iso(started_at),
    completed_at: iso(run.completed_at),
    queue_ms: started_at && Math.max(0, started_at.getTime() - queued_at.getTime()),
  };
  return encodeMessage({ event: data.type, id: formatMoveCursor(place), data });
}
