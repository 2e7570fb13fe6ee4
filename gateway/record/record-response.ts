import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { BufferLimit } from "../buffer-limits.ts";

type Options = {
  isStream: boolean;
  /** Returns true when the whole answer is one that a later attempt may be given. */
  isFinished: () => boolean;
  /** Where its bytes are held until it is kept. */
  room: BufferLimit;
  /** Keeps the answer. Returns false when it can't be kept, and the client must not have it. */
  keep: (body: Buffer) => Promise<boolean>;
};

/** A longer answer is passed on and not kept. */
const mostKept = 8 * 1024 * 1024;
/** A whole answer of so many bytes is held until it is kept; of a longer one the last piece. */
const mostHeld = 256 * 1024;

/** A longer answer that failed is not kept. */
const mostFailed = 64 * 1024;

/** `failed`: the body of a complete answer that tells of a failure; null: there is none, or it is too long. */
export type RecordingOutcome = { isDelivered: boolean; failed: Buffer | null };

/** From here on a stream tells that it has ended, and how. */
const endOfStream =
  /"finish_reason"\s*:\s*"|"finishReason"\s*:\s*"|"type"\s*:\s*"(response\.(completed|incomplete|failed)|message_delta|message_stop)"|data:\s*\[DONE\]/;

/**
 * Passes an answer on as it comes, and keeps it. What tells the client that the answer is whole is held until it is kept. When
 * the client goes away the answer is read to its end all the same.
 */
export async function recordAnswer(source: Readable, res: ServerResponse, options: Options): Promise<RecordingOutcome> {
  const parts = openParts(options.room);
  try {
    return await recordParts(source, res, parts, options);
  } finally {
    parts.drop();
  }
}

type Parts = {
  /** Returns false, and holds nothing any more, where there is no room for it. */
  add(chunk: Buffer): boolean;
  all(): Buffer;
  drop(): void;
};

function openParts(room: BufferLimit): Parts {
  let parts: Buffer[] = [];
  let size = 0;
  const drop = (): void => {
    room.giveBack(size);
    size = 0;
    parts = [];
  };
  return {
    add(chunk) {
      const fits = room.take(chunk.length);
      if (!fits) drop();
      else {
        size += chunk.length;
        parts.push(chunk);
      }
      return fits;
    },
    all: () => Buffer.concat(parts),
    drop,
  };
}

async function recordParts(
  source: Readable,
  res: ServerResponse,
  parts: Parts,
  { isStream, isFinished, keep }: Options,
): Promise<RecordingOutcome> {
  const hold = openHold(isStream);
  if (!(await passPieces(source, res, hold, parts))) return { isDelivered: false, failed: null };
  const isLong = hold.isTooLong();
  const body = parts.all();
  const hasFailed = !isLong && !isFinished();
  if (!isLong && !hasFailed && !(await keep(body))) res.destroy();
  await write(res, hold.rest());
  const failed = hasFailed && body.length <= mostFailed ? body : null;
  return { isDelivered: await isRead(res), failed };
}

/** Returns false when the answer is too long to be kept, and its client has gone. */
async function passPieces(source: Readable, res: ServerResponse, hold: HeldBytes, parts: Parts): Promise<boolean> {
  for await (const chunk of source as AsyncIterable<Buffer>) {
    if (!hold.isTooLong() && !parts.add(chunk)) hold.giveUp();
    await write(res, hold.take(chunk));
    if (!hold.isTooLong()) continue;
    parts.drop();
    if (!isOpen(res)) return false;
  }
  return true;
}

/** Returns true when the client has all of an answer. */
async function isRead(res: ServerResponse): Promise<boolean> {
  if (!isOpen(res)) return false;
  res.end();
  await Promise.race([once(res, "finish"), once(res, "close")]).catch(() => undefined);
  return res.writableFinished;
}

const nothing = Buffer.alloc(0);

type HeldBytes = {
  /** Returns what may be passed on now. */
  take(chunk: Buffer): Buffer;
  rest(): Buffer;
  /** There is no room for it: it is passed on as it comes. */
  giveUp(): void;
  isTooLong(): boolean;
};

function openHold(isStream: boolean): HeldBytes {
  const held: Buffer[] = [];
  let size = 0;
  let isHolding = !isStream;
  let isGivenUp = false;
  /** Returns what is held, but for the last pieces. */
  const release = (left: number): Buffer => Buffer.concat(held.splice(0, Math.max(held.length - left, 0)));
  return {
    take(chunk) {
      size += chunk.length;
      const [now, later] = isHolding ? [nothing, chunk] : splitAtEnd(chunk);
      isHolding ||= later.length > 0;
      if (later.length > 0) held.push(later);
      if (now.length > 0) return now;
      if (size > mostKept || isGivenUp) return release(0);
      return isStream || size <= mostHeld ? nothing : release(1);
    },
    rest: () => release(0),
    giveUp: () => void (isGivenUp = true),
    isTooLong: () => size > mostKept || isGivenUp,
  };
}

const isOpen = (res: ServerResponse): boolean => !res.destroyed && !res.closed;

/** An event that tells the end is held as a whole. */
function splitAtEnd(chunk: Buffer): [now: Buffer, later: Buffer] {
  const found = endOfStream.exec(chunk.toString("latin1"));
  if (!found) return [chunk, Buffer.alloc(0)];
  const before = chunk.subarray(0, found.index);
  const begin = Math.max(before.lastIndexOf("\n\n") + 2, before.lastIndexOf("\r\n\r\n") + 4);
  const at = begin >= 4 || before.lastIndexOf("\n\n") !== -1 ? begin : 0;
  return [chunk.subarray(0, at), chunk.subarray(at)];
}

async function write(res: ServerResponse, bytes: Buffer): Promise<void> {
  if (bytes.length === 0 || !isOpen(res)) return;
  if (!res.write(bytes)) await Promise.race([once(res, "drain"), once(res, "close")]).catch(() => undefined);
}
