/** A frame of a warm sandbox's control channel: type (1 byte), stream (1), zero (2), length (4, big-endian), body. */
export type ControlFrame = { type: string; stream: number; body: Buffer };

const headLength = 8;
/** Pid 1 sends no longer frame. */
const mostBody = 65_536;

export function encodeControlFrame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(headLength);
  head.write(type, 0, "latin1");
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
}

/**
 * Returns a function that splits chunks into frames. It returns what is wrong with the channel, or null. `accept` is called
 * with a frame's type before the body has come: true when such a frame may come now.
 */
export function createFrameReader(handlers: {
  accept(type: string): boolean;
  take(frame: ControlFrame): void;
}): (chunk: Buffer) => string | null {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    while (rest.length >= headLength) {
      const type = String.fromCharCode(rest.readUInt8(0));
      const length = rest.readUInt32BE(4);
      if (length > mostBody) return `a frame of ${length} bytes`;
      if (!handlers.accept(type)) return `a frame ${JSON.stringify(type)} out of turn`;
      if (rest.length < headLength + length) break;
      const frame = { type, stream: rest.readUInt8(1), body: rest.subarray(headLength, headLength + length) };
      rest = rest.subarray(headLength + length);
      handlers.take(frame);
    }
    return null;
  };
}
