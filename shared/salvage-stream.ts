import type { Db } from "./store/client.ts";
import { salvageTranscript } from "./store/runs/append-transcript.ts";
import { lastSavedSeq } from "./store/runs/read-transcript.ts";
import type { RunStreams } from "./stream/run-streams.ts";

/**
 * Brings what a fenced attempt still streamed, but its worker could not write behind any more, from Redis into the
 * transcript, so that later readers see the same history as those who watched. For after the fence is in the stream.
 */
export async function salvageStream(db: Db, streams: RunStreams, runId: string, attempt: number): Promise<void> {
  let seq = await lastSavedSeq(db, runId, attempt);
  for (;;) {
    const events = (await streams.read(runId, { attempt, seq })).filter((event) => event.attempt === attempt);
    // Redis lost a part: what follows a gap can't be joined to the transcript.
    if (events[0]?.seq !== seq + 1) return;
    await salvageTranscript(db, runId, events);
    seq += events.length;
  }
}
