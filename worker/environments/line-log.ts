/** Lines for one reader, which may be slow, or not read at all. Only so many lines are kept; later ones are dropped. */
export type LineLog = {
  push(line: string): void;
  /** Ends the reader's iteration after the lines that were pushed so far. */
  end(): void;
  lines: AsyncGenerator<string>;
};

const mostLines = 2_000;

export function openLineLog(): LineLog {
  const waiting: string[] = [];
  let count = 0;
  let ended = false;
  let wake = (): void => {};

  async function* read(): AsyncGenerator<string> {
    for (;;) {
      yield* waiting.splice(0);
      if (waiting.length > 0) continue;
      if (ended) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    push(line) {
      count++;
      if (ended || count > mostLines) return;
      waiting.push(count === mostLines ? "(further lines are left out)" : line);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    lines: read(),
  };
}
