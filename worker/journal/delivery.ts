/** An entry as it is handed to the agent's process. `line`: null for one of which it needn't know. */
export type Delivered = { place: number; line: string | null };

export type Delivery = {
  /** Hands over a committed entry, after all before it. */
  put(entry: Delivered): void;
  /** Hands over what others have committed. */
  look(): Promise<void>;
  /** Returns the place of the last entry that was handed over. */
  seen(): number;
};

type Options = {
  /** The last entry that the process was given with its request. */
  after: number;
  /** Reads the entries behind a place, in order. Numbers that are missing there belong to no entry. */
  read: (after: number) => Promise<Delivered[]>;
  /** Returns false when the process is not told: it has not begun, or was let go. */
  give: (line: string) => boolean;
};

/** Hands over a run's entries in the order of their commits, whoever commits them: so a race has the same winner on every attempt. */
export function openDelivery({ after, read, give }: Options): Delivery {
  let seen = after;
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;

  /** Returns false when the process is not told. */
  function hand({ place, line }: Delivered): boolean {
    if (place <= seen) return true;
    if (line !== null && !give(line)) return false;
    seen = place;
    return true;
  }

  async function readBehind(): Promise<void> {
    while (isAskedAgain) {
      isAskedAgain = false;
      for (const entry of await read(seen)) if (!hand(entry)) return;
    }
  }

  function look(): Promise<void> {
    isAskedAgain = true;
    looking ??= readBehind().finally(() => (looking = null));
    return looking;
  }

  return {
    put(entry) {
      if (entry.place === seen + 1) hand(entry);
      // Somebody else has committed what is missing, or nothing has these numbers.
      else if (entry.place > seen) void look().catch(() => undefined);
    },
    look,
    seen: () => seen,
  };
}
