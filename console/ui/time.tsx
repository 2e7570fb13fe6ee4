import { type ReactElement, useSyncExternalStore } from "react";
import { formatAgo, formatTime } from "./format.ts";

/** One clock for all that counts up or down on the page. */
let now = Date.now();
const readers = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const notify of readers) notify();
}, 1_000);

const subscribe = (onChange: () => void): (() => void) => {
  readers.add(onChange);
  return () => readers.delete(onChange);
};

/** Returns the time, every second. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

type ClockProps = { at: string | null | undefined; isExact?: boolean };

/** A time of the day; the whole date, in UTC, when it is pointed at. `isExact`: to the millisecond. */
export const Clock = ({ at, isExact }: ClockProps): ReactElement => (
  <time dateTime={at ?? undefined} title={at ?? undefined} className="num">
    {formatTime(at, isExact)}
  </time>
);

/** How long ago or ahead a time is. */
export function Ago({ at }: { at: string | null | undefined }): ReactElement {
  const time = useNow();
  return (
    <time dateTime={at ?? undefined} title={at ?? undefined} className="num">
      {formatAgo(at, time)}
    </time>
  );
}
