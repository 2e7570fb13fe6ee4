/** How a format opens, adds to and closes a text of its own id. */
type Words = { open(id: string): object; delta(id: string, delta: string): object; close(id: string): object };

export type TextPart = {
  /** Opens a text where none is. */
  say(delta: string): object[];
  /** What to say where nothing was said since the last reset. */
  sayInstead(text: string | null): object[];
  close(): object[];
  /** Closes it too. */
  reset(): object[];
};

/** The texts of a run for formats that want them opened and closed; another one begins after each closing. */
export function startTextPart(words: Words, idOf: (count: number) => string): TextPart {
  let count = 0;
  let id: string | null = null;
  let said = false;

  function say(delta: string): object[] {
    if (delta === "") return [];
    said = true;
    if (id !== null) return [words.delta(id, delta)];
    count += 1;
    id = idOf(count);
    return [words.open(id), words.delta(id, delta)];
  }
  function close(): object[] {
    const closing = id === null ? [] : [words.close(id)];
    id = null;
    return closing;
  }
  return {
    say,
    sayInstead: (text) => (said || text === null ? [] : say(text)),
    close,
    reset() {
      said = false;
      return close();
    },
  };
}
