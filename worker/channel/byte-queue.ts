/** Bytes on their way to one reader. */
export type ByteQueue = AsyncIterable<Uint8Array> & {
  /** Returns false when enough waits: then nothing should come until `onRoom` is called. */
  push(bytes: Uint8Array): boolean;
  /** What waits is still read. */
  end(): void;
};

const enoughBytes = 64 * 1024;

/** A queue without what a stream of Node's makes for each reader: a run has two of them, and mostly prints nothing. */
export function createByteQueue(onRoom: () => void): ByteQueue {
  const waiting: Uint8Array[] = [];
  let bytes = 0;
  let ended = false;
  let wake = (): void => {};
  return {
    push(part) {
      waiting.push(part);
      bytes += part.length;
      wake();
      return bytes < enoughBytes;
    },
    end() {
      ended = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const part = waiting.shift();
        if (part) {
          const wasFull = bytes >= enoughBytes;
          bytes -= part.length;
          if (wasFull && bytes < enoughBytes) onRoom();
          yield part;
        } else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
