import { expect, onTestFinished, test, vi } from "vitest";
import { readStream } from "../../../sdk/ts/read-stream.ts";

const ping = new TextEncoder().encode(": ping\n\n");

/**
 * Reads a stream without messages and returns when its connections were opened. The first `cuts` are cut at once. The next one
 * brings pings after these times, and then nothing more.
 */
async function readQuiet({ cuts, pings }: { cuts: number; pings: number[] }): Promise<number[]> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const stop = new AbortController();
  onTestFinished(() => {
    stop.abort();
    vi.useRealTimers();
  });
  const opened: number[] = [];
  const open = (_after: string | undefined, signal: AbortSignal): Promise<Response> => {
    opened.push(Date.now());
    const body = new ReadableStream<Uint8Array>({
      start(bytes) {
        bytes.enqueue(ping);
        if (opened.length <= cuts) return bytes.close();
        signal.addEventListener("abort", () => bytes.error(signal.reason));
        for (const ms of pings) setTimeout(() => bytes.enqueue(ping), ms);
      },
    });
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  };
  readStream({ open, isEnd: () => false }, { signal: stop.signal })
    .next()
    .catch(() => undefined);
  while (opened.length < cuts + 2) await vi.advanceTimersByTimeAsync(1_000);
  return opened;
}

test("a quiet connection that has brought pings is given up 45 s after the last one, however often the stream was cut", async () => {
  const opened = await readQuiet({ cuts: 9, pings: [15_000, 30_000] });
  const lasted = Number(opened[10]) - Number(opened[9]);
  expect(lasted).toBeGreaterThanOrEqual(75_000);
  expect(lasted).toBeLessThan(76_000);
});

test("a connection that brings nothing after its answer is given up, later after cuts, and in three minutes at the latest", async () => {
  const first = await readQuiet({ cuts: 0, pings: [] });
  expect(Number(first[1]) - Number(first[0])).toBeLessThan(46_000);
  const opened = await readQuiet({ cuts: 9, pings: [] });
  const lasted = Number(opened[10]) - Number(opened[9]);
  expect(lasted).toBeGreaterThanOrEqual(180_000);
  expect(lasted).toBeLessThan(195_000);
});
