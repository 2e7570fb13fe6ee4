import type { Db } from "../../store/client.ts";
import { salvageTranscript } from "../../store/runs/append-transcript.ts";
import { lastSavedSeq } from "../../store/runs/read-transcript.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";

/**
 * Brings what fenced attempts, up to and including `upTo`, still streamed, but their workers could not write behind any more,
 * from Redis into the transcript, so that later readers see the same history as those who watched. For after the fence is
 * in the stream. All of them, since an attempt whose worker was lost as well could not do it for those before.
 */
export async function salvageStream(db: Db, streams: RunStreams, runId: string, upTo: number): Promise<void> {
  for (let attempt = 1; attempt <= upTo; attempt += 1) await salvageAttempt(db, streams, runId, attempt);
}

async function salvageAttempt(db: Db, streams: RunStreams, runId: string, attempt: number): Promise<void> {
  let seq = await lastSavedSeq(db, runId, attempt);
  for (;;) {
    const events = (await streams.read(runId, { attempt, seq })).filter((event) => event.attempt === attempt);
    // Redis may have lost a part that came between others: what follows a gap can't be joined to the transcript.
    const gap = events.findIndex((event, place) => event.seq !== seq + 1 + place);
    const joined = gap === -1 ? events : events.slice(0, gap);
    if (joined.length === 0) return;
    await salvageTranscript(db, runId, joined);
    seq += joined.length;
  }
}
