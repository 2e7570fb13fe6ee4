import { useEffect, useRef, useState } from "react";
import type { RunChanged } from "../../sdk/ts/index.ts";
import { client, noteSignedOut } from "../data/client.ts";
import { type RunsSearch, toRunsQuery } from "../data/runs-search.ts";
import { inStreamSlot } from "../data/stream-slot.ts";
import { wait } from "../data/wait.ts";
import { whileSeen } from "../data/while-seen.ts";
import type { RunChangesById } from "./merge-changes.ts";

/** A stream that could not be opened is tried again. */
const tryAgainMs = 5_000;
/** With more changed runs than that, the list is read anew. */
const mostChanges = 1_000;

type Changes = {
  byId: RunChangesById;
  /** True while changes are told as they happen. */
  isFollowing: boolean;
  /** Forgets what was told before this time, as `performance.now()` has it: rows that were read since then have it. */
  forget(this: void, before: number): void;
};

type Told = { change: RunChanged; at: number };

/** Follows the changes of a list while a component shows it. `onResync`: changes were not told, or too many. */
export function useRunChanges(search: RunsSearch, isLive: boolean, onResync: () => void): Changes {
  const [byId, setById] = useState<RunChangesById>(new Map());
  const [isFollowing, setFollowing] = useState(false);
  const [told] = useState(() => new Map<string, Told>());
  const resync = useRef(onResync);
  /** True while the list is being read anew because of too many changes. */
  const isAsked = useRef(false);
  useEffect(() => void (resync.current = onResync));
  // The same filters are another object at each rendering.
  const filters = JSON.stringify(search);

  useEffect(() => {
    const given = JSON.parse(filters) as RunsSearch;
    // Changes tell neither what a search finds nor where in another order a run belongs.
    if (!isLive || given.search !== undefined || given.order_by !== undefined) return;
    const { search: _search, ...filter } = toRunsQuery(given);
    let frame: number | null = null;
    const show = (): void => {
      frame = null;
      setById(latest(told));
    };

    async function read(signal: AbortSignal): Promise<void> {
      for await (const event of client.runs.streamChanges(filter, { signal })) {
        setFollowing(true);
        if (event.type === "resync") resync.current();
        else told.set(event.id, { change: event, at: performance.now() });
        if (told.size > mostChanges && !isAsked.current) {
          isAsked.current = true;
          resync.current();
        }
        frame ??= requestAnimationFrame(show);
      }
    }
    async function follow(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await inStreamSlot(signal, () => read(signal)).catch(noteSignedOut);
        if (signal.aborted) return;
        setFollowing(false);
        await wait(tryAgainMs, signal);
      }
    }

    let reading = new AbortController();
    reading.abort();
    const start = (): void => {
      if (!reading.signal.aborted) return;
      reading = new AbortController();
      void follow(reading.signal);
    };
    const end = whileSeen(start, () => {
      reading.abort();
      setFollowing(false);
    });
    return () => {
      end();
      if (frame !== null) cancelAnimationFrame(frame);
      told.clear();
      isAsked.current = false;
      setById(new Map());
    };
  }, [filters, isLive, told]);

  const [forget] = useState(() => (before: number) => {
    isAsked.current = false;
    const old = [...told].filter(([, { at }]) => at < before);
    for (const [id] of old) told.delete(id);
    if (old.length > 0) setById(latest(told));
  });
  return { byId, isFollowing, forget };
}

const latest = (told: ReadonlyMap<string, Told>): RunChangesById =>
  new Map([...told].map(([id, { change }]) => [id, change]));
