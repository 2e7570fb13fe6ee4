/** Sequence numbers of events, both ends included. */
export type Range = [from: number, to: number];

/** What an entry of the journal settles when it is committed. */
export type Settled = {
  /** The output segments that are complete. No later attempt says them again. */
  segments: string[];
  /** The attempt's events that stand. */
  events: Range[];
  /** Whether outputs are among them. */
  outputs: boolean;
  /** Whether they must be in the transcript first: true for all but the worker's own events. */
  isSaid: boolean;
};

export type Ledger = {
  /** Notes an event. `segment`: what says it; null for an event that belongs to none, which is complete by itself. */
  say(segment: string | null, seq: number, isOutput: boolean): void;
  /** Nothing more is said in these segments. */
  close(segments: readonly string[]): void;
  /** Returns the events of a segment that is not complete. */
  eventsOf(segment: string): Range[];
  /** Takes a segment out that doesn't stand, and returns its events. */
  drop(segment: string): Range[];
  /** Returns what is complete and has not been settled yet. */
  settle(): Settled;
};

type Open = { events: Range[]; outputs: boolean };

/**
 * Keeps account of which of an attempt's events stand. A segment is what a branch of the agent's code says between two
 * durable calls, or what one try of a step says. It stands once it is complete and an entry was committed after it.
 */
export function createLedger(): Ledger {
  const open = new Map<string, Open>();
  let complete: Settled = nothing();

  function add({ events, outputs }: Open): void {
    for (const [from, to] of events) addRange(complete.events, from, to);
    complete.outputs ||= outputs;
  }
  return {
    say(segment, seq, isOutput) {
      if (segment === null) {
        addRange(complete.events, seq, seq);
        complete.outputs ||= isOutput;
        complete.isSaid ||= isOutput;
        return;
      }
      const said = open.get(segment) ?? { events: [], outputs: false };
      addRange(said.events, seq, seq);
      said.outputs ||= isOutput;
      open.set(segment, said);
    },
    close(segments) {
      for (const segment of segments) {
        const said = open.get(segment);
        if (!said) continue;
        open.delete(segment);
        complete.segments.push(segment);
        complete.isSaid = true;
        add(said);
      }
    },
    eventsOf: (segment) => open.get(segment)?.events ?? [],
    drop(segment) {
      const said = open.get(segment);
      open.delete(segment);
      return said?.events ?? [];
    },
    settle() {
      const settled = complete;
      complete = nothing();
      return { ...settled, events: mergeRanges(settled.events) };
    },
  };
}

const nothing = (): Settled => ({ segments: [], events: [], outputs: false, isSaid: false });

/** Adds to ranges in the order of adding; a number that continues the last range prolongs it. */
function addRange(ranges: Range[], from: number, to: number): void {
  const last = ranges.at(-1);
  if (last && last[1] + 1 === from) last[1] = to;
  else ranges.push([from, to]);
}

/** Returns the same numbers as ranges in order, of which no two touch. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
