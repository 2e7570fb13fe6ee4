import type { Readable } from "node:stream";

/** One run's part of a stream that outlives it. */
export type CutStream = {
  chunks: AsyncIterable<Uint8Array>;
  /** The run is over: its part ends where `marker` stands, which may have come already. */
  endAt(marker: Buffer): void;
};

/** How a marker begins. What looks like one is held back until it is known whether it is the run's. */
const prefix = Buffer.from("\0runfleet-end:");
const markerLength = prefix.length + 33;
/** How many chunks may wait for the reader before the stream is paused. */
const waitingChunks = 64;

/**
 * Takes from `source`, from now on, what comes before the marker. Nothing may be written behind the marker before the part
 * was read to its end. It ends with the stream as well, and gives that too when its reader leaves.
 */
export function cutStream(source: Readable): CutStream {
  const ready: Uint8Array[] = [];
  let held: Buffer = Buffer.alloc(0);
  let marker: Buffer | null = null;
  let over = false;
  let wake = (): void => {};

  const take = (chunk: Buffer): void => {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const end = findCandidate(bytes);
    if (end > 0) ready.push(bytes.subarray(0, end));
    held = bytes.subarray(end);
    over ||= marker !== null && held.equals(marker);
    if (ready.length > waitingChunks) source.pause();
    wake();
  };
  const close = (): void => {
    if (!over && held.length > 0) ready.push(held);
    over = true;
    wake();
  };
  source.on("data", take).once("end", close).once("close", close);
  // It says so only once.
  if (source.readableEnded || source.destroyed) close();

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        yield* ready.splice(0);
        source.resume();
        if (ready.length > 0) continue;
        if (over) return;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      source.off("data", take).off("end", close).off("close", close);
      source.resume();
    }
  }

  return {
    chunks: read(),
    endAt(expected) {
      marker = expected;
      over ||= held.equals(marker);
      wake();
    },
  };
}

/** Where the bytes' end may be a marker or its beginning; their length, if it can't be. */
function findCandidate(bytes: Buffer): number {
  let at = bytes.indexOf(0, Math.max(0, bytes.length - markerLength));
  while (at !== -1) {
    const part = bytes.subarray(at, at + prefix.length);
    if (part.equals(prefix.subarray(0, part.length))) return at;
    at = bytes.indexOf(0, at + 1);
  }
  return bytes.length;
}
