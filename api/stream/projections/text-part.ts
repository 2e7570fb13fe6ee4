/** A format's messages that open a text, add to it and close it. */
type TextMessages = { open(id: string): object; delta(id: string, delta: string): object; close(id: string): object };

export type TextPart = {
  /** Adds to the open text. Opens one if none is open. */
  say(delta: string): object[];
  /** Adds `text` only if there was no text since the last reset. */
  sayInstead(text: string | null): object[];
  close(): object[];
  /** Closes the open text and forgets that there was text. */
  reset(): object[];
};

/** The texts of a run, for formats in which each text is opened and closed and has its own id. */
export function startTextPart(messages: TextMessages, idOf: (count: number) => string): TextPart {
  let count = 0;
  let id: string | null = null;
  let said = false;

  function say(delta: string): object[] {
    if (delta === "") return [];
    said = true;
    if (id !== null) return [messages.delta(id, delta)];
    count += 1;
    id = idOf(count);
    return [messages.open(id), messages.delta(id, delta)];
  }
  function close(): object[] {
    const closing = id === null ? [] : [messages.close(id)];
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
