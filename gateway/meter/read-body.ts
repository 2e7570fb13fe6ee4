import type { IncomingMessage } from "node:http";
import { bodyLimits } from "../limits.ts";
import type { BufferLimit } from "../buffer-limits.ts";

/** Reads a request's body as a whole. `release` is to be called when the call is over. */
export async function readBody(
  req: IncomingMessage,
  room: BufferLimit,
): Promise<{ bytes: Buffer; release: () => void } | { status: 400 | 413 | 503; reason: string }> {
  const parts: Buffer[] = [];
  let size = 0;
  const release = (): void => {
    room.giveBack(size);
    size = 0;
  };
  try {
    for await (const part of req as AsyncIterable<Buffer>) {
      const isTooLarge = size + part.length > bodyLimits.request;
      if (!isTooLarge && room.take(part.length)) {
        size += part.length;
        parts.push(part);
        continue;
      }
      release();
      return isTooLarge
        ? { status: 413, reason: `The request is larger than ${bodyLimits.request} bytes.` }
        : { status: 503, reason: "The gateway holds as many bytes of requests as it may. Try again." };
    }
  } catch {
    // The client has gone, or its body is no HTTP: that is no fault of the gateway's.
    release();
    return { status: 400, reason: "The request's body didn't come to its end." };
  }
  return { bytes: Buffer.concat(parts), release };
}
