/** Something that was started before anybody needs it. */
type Startable = { kill(): void; exited: Promise<unknown> };

type SparesOptions<G, T> = {
  open: (ground: G) => Promise<T>;
  /** What most runs ask for. */
  usual: G;
  /** Whether one that was opened with `usual` will do. */
  fits: (ground: G) => boolean;
};

/** Processes that stand ready for whichever run comes, and belong to none yet. */
export type Spares<G, T> = {
  /** A spare where one fits, else a new one. Rejects as `open` does. */
  take(ground: G): Promise<T>;
  close(): void;
};

const count = 2;
/** Before one that died by itself is replaced. */
const pauseMs = 1_000;

export function keepSpares<G, T extends Startable>({ open, usual, fits }: SparesOptions<G, T>): Spares<G, T> {
  const spares = new Set<Promise<T>>();
  let closed = false;

  function refill(): void {
    while (!closed && spares.size < count) {
      const spare = open(usual);
      spares.add(spare);
      // A machine that gives no sandbox says so to the run that needs one.
      spare
        .then(({ exited }) => exited)
        .then(
          () => spares.delete(spare) && setTimeout(refill, pauseMs).unref(),
          () => spares.delete(spare),
        );
    }
  }

  refill();
  return {
    async take(ground) {
      const [spare] = fits(ground) ? spares : [];
      if (!spare) return open(ground);
      spares.delete(spare);
      // Not before this run has what it needs.
      setImmediate(refill);
      return spare.catch(() => open(ground));
    },
    close() {
      closed = true;
      for (const spare of spares) void spare.then((one) => one.kill()).catch(() => undefined);
      spares.clear();
    },
  };
}
