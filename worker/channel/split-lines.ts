import type { ChannelMeter } from "./channel-budget.ts";

/** The longest line that is read, in bytes. Longer lines are skipped. */
export const maxLineBytes = 12 * 1024 * 1024;

const newline = 0x0a;

/** `bytes` is null for a line that is too long. `torn` is true when the channel closed within the line. */
export type ChannelLine = { bytes: Uint8Array | null; torn: boolean };

/**
 * Yields the lines of a channel without their ends, and no empty lines. Only a line of several chunks is copied, once. Other work gets the
 * event loop in between. Throws ChannelBreach when the channel's budget is spent.
 */
export async function* splitLines(
  channel: AsyncIterable<Uint8Array>,
  meter: ChannelMeter,
): AsyncGenerator<ChannelLine> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const take = (torn: boolean): ChannelLine => {
    const [first, ...rest] = parts;
    const whole = first && rest.length === 0 ? first : Buffer.concat(parts);
    const line = { bytes: length > maxLineBytes ? null : whole, torn };
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of channel) {
    let start = 0;
    let lines = 0;
    let startedAt = performance.now();
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      lines += 1;
      if (length > 0 || end > start) {
        parts.push(chunk.subarray(start, end));
        length += end - start;
        meter.add({ lines, cpuMs: performance.now() - startedAt });
        lines = 0;
        yield take(false);
        await meter.pause();
        startedAt = performance.now();
      }
      start = end + 1;
    }
    length += chunk.length - start;
    if (length > maxLineBytes) parts = [];
    else if (start < chunk.length) parts.push(chunk.subarray(start));
    meter.add({ bytes: chunk.length, lines, cpuMs: performance.now() - startedAt });
    await meter.pause();
  }
  if (length > 0) yield take(true);
}
