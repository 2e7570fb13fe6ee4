import { useEffect, useMemo, useState } from "react";
import { isEnd, type Run, type RunEvent, type RunHandle, Transcript } from "../../sdk/ts/index.ts";
import { noteSignedOut } from "./client.ts";
import { inStreamSlot } from "./stream-slot.ts";
import { wait } from "./wait.ts";
import { whileSeen } from "./while-seen.ts";

/** A run's events as far as they came: all of them, and what stands. */
export type RunStream = {
  /** The same array grows; `count` tells how far. */
  events: readonly RunEvent[];
  count: number;
  transcript: Transcript;
  /** The text that stands. */
  text: string;
  isReading: boolean;
  /** The id of the last event that has changed the run's record. */
  lastMove: string | null;
  /** True until an event was read, or it is known that there is none: what the run has said isn't known yet. */
  isPending: boolean;
  /** True while other pages of the browser read as many streams as they may. */
  isWaiting: boolean;
  /** Why the run can't be read. It is tried again. */
  failure: unknown;
};

/** A stream that could not be read is tried again. */
const tryAgainMs = 5_000;

const nothing = (): RunStream => ({
  events: [],
  count: 0,
  transcript: new Transcript(),
  text: "",
  isReading: false,
  lastMove: null,
  isPending: true,
  isWaiting: false,
  failure: null,
});

/**
 * Reads a run while a component shows it. A stream that is cut is resumed by the SDK, each event once. When the run's record has
 * another status or another question, a stream that has ended at a question goes on.
 */
export function useRunStream(run: RunHandle | null, record: Pick<Run, "status" | "interrupts"> | undefined): RunStream {
  const asks = record?.interrupts.map(({ id }) => id).join(" ");
  const reader = useMemo(() => run && createReader(run), [run]);
  const [shown, setShown] = useState<{ reader: Reader; stream: RunStream } | null>(null);
  useEffect(() => reader?.open((stream) => setShown({ reader, stream })), [reader]);
  useEffect(() => reader?.goOn(), [reader, record?.status, asks]);
  return shown?.reader === reader && shown ? shown.stream : nothing();
}

type Reader = { open(show: (stream: RunStream) => void): () => void; goOn(): void };

function createReader(run: RunHandle): Reader {
  const events: RunEvent[] = [];
  const transcript = new Transcript();
  let reading: AbortController | null = null;
  let failure: unknown = null;
  let hasEnded = false;
  let hasRead = false;
  let isWaiting = false;
  let lastMove: string | null = null;
  let frame: number | null = null;
  let show: ((stream: RunStream) => void) | null = null;

  const render = (): void => {
    frame = null;
    const isReading = reading !== null && failure === null;
    const isPending = events.length === 0 && !hasRead && failure === null;
    const { text } = transcript;
    show?.({ events, count: events.length, transcript, text, isReading, lastMove, isPending, isWaiting, failure });
  };
  /** Many events are one rendering. */
  const renderSoon = (): void => {
    frame ??= requestAnimationFrame(render);
  };

  const noteFull = (): void => {
    isWaiting = true;
    renderSoon();
  };

  /** Returns false when the stream can't be read. */
  async function read(signal: AbortSignal): Promise<boolean> {
    try {
      const readEvents = async (): Promise<void> => {
        isWaiting = false;
        renderSoon();
        for await (const event of run.events({ signal })) {
          events.push(event);
          transcript.push(event);
          failure = null;
          hasEnded = isEnd(event);
          if (event.type.startsWith("run.")) lastMove = `${event.attempt}-${event.seq}`;
          renderSoon();
        }
      };
      await inStreamSlot(signal, readEvents, noteFull);
      // A page that is hidden while it waits has read nothing.
      if (signal.aborted) return false;
      failure = null;
      hasRead = true;
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      failure = error;
      noteSignedOut(error);
      renderSoon();
      return false;
    }
  }

  async function follow({ signal }: AbortController): Promise<void> {
    while (!(await read(signal)) && !signal.aborted) await wait(tryAgainMs, signal);
    if (reading?.signal === signal) reading = null;
    renderSoon();
  }

  function goOn(): void {
    if (reading || hasEnded || !show || document.hidden) return;
    reading = new AbortController();
    void follow(reading);
  }
  function stop(): void {
    reading?.abort();
    reading = null;
  }

  function open(given: (stream: RunStream) => void): () => void {
    show = given;
    const end = whileSeen(goOn, stop);
    renderSoon();
    return () => {
      end();
      show = null;
    };
  }
  return { open, goOn };
}
