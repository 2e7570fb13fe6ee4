import type { Db } from "../../store/client.ts";
import { salvageTranscript } from "../../store/runs/append-transcript.ts";
import { lastSavedSeq } from "../../store/runs/read-transcript.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";

/**
 * Copies the events of fenced attempts, up to and including `upTo`, from Redis into the transcript where their workers could not
 * write them any more. So later readers see the same history as live readers. Call it after the fence is in the stream. It
 * covers all attempts, because a lost worker has not done it for the attempts before its own.
 */
export async function salvageStream(db: Db, streams: RunStreams, runId: string, upTo: number): Promise<void> {
  for (let attempt = 1; attempt <= upTo; attempt += 1) await salvageAttempt(db, streams, runId, attempt);
}

async function salvageAttempt(db: Db, streams: RunStreams, runId: string, attempt: number): Promise<void> {
  let seq = await lastSavedSeq(db, runId, attempt);
  for (;;) {
    const events = (await streams.read(runId, { attempt, seq })).filter((event) => event.attempt === attempt);
    // Redis may have lost events in the middle. Events behind a gap can't be added to the transcript.
    const gap = events.findIndex((event, index) => event.seq !== seq + 1 + index);
    const joined = gap === -1 ? events : events.slice(0, gap);
    if (joined.length === 0) return;
    await salvageTranscript(db, runId, joined);
    seq += joined.length;
  }
}
