import type { ChannelMeter } from "./channel-budget.ts";

/** The longest line that is read as one, in bytes; longer ones are skipped to their end. */
export const maxLineBytes = 12 * 1024 * 1024;

const newline = 0x0a;

/** `bytes` is null for a line that is too long. `torn`: the channel closed within it. */
export type ChannelLine = { bytes: Buffer | null; torn: boolean };

/**
 * The lines of a channel, without their ends and without empty ones, each byte copied once at most. It takes turns with all
 * else that this process does. Throws ChannelBreach when the channel's budget is spent.
 */
export async function* splitLines(
  channel: AsyncIterable<Uint8Array>,
  meter: ChannelMeter,
): AsyncGenerator<ChannelLine> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const take = (torn: boolean): ChannelLine => {
    const line = { bytes: length > maxLineBytes ? null : Buffer.concat(parts), torn };
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of channel) {
    let start = 0;
    let lines = 0;
    let startedAt = performance.now();
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end));
      length += end - start;
      start = end + 1;
      lines += 1;
      if (length > 0) {
        meter.add({ lines, cpuMs: performance.now() - startedAt });
        lines = 0;
        yield take(false);
        await meter.pause();
        startedAt = performance.now();
      } else parts = [];
    }
    length += chunk.length - start;
    if (length > maxLineBytes) parts = [];
    else if (start < chunk.length) parts.push(chunk.subarray(start));
    meter.add({ bytes: chunk.length, lines, cpuMs: performance.now() - startedAt });
    await meter.pause();
  }
  if (length > 0) yield take(true);
}
