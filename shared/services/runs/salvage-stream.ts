import type { Db } from "../../store/client.ts";
import { salvageTranscript } from "../../store/runs/transcript/append-transcript.ts";
import type { EventId } from "../../domain/run/event-id.ts";
import type { StreamEvent } from "../../schemas/run-event.ts";
import { lastSavedSeqs } from "../../store/runs/transcript/read-transcript.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";

/**
 * Copies the events of fenced attempts, up to and including `upTo`, from Redis into the transcript where their workers could not
 * write them any more. So later readers see the same history as live readers. Call it after the fence is in the stream. It
 * covers all attempts, because a lost worker has not done it for the attempts before its own.
 */
export async function salvageStream(
  db: Db,
  streams: Pick<RunStreams, "read">,
  runId: string,
  upTo: number,
): Promise<void> {
  if (upTo < 1) return;
  const saved = await lastSavedSeqs(db, runId);
  let cursor: EventId = { attempt: 1, seq: saved.get(1) ?? 0 };
  for (;;) {
    const page = await streams.read(runId, cursor);
    for (const events of joinAttempts(page, saved, upTo)) await salvageTranscript(db, runId, events);
    const last = page.at(-1);
    if (!last || last.attempt > upTo) return;
    cursor = last;
  }
}

/**
 * Returns what follows `saved` (attempt → its last seq in the transcript), by attempt, and moves `saved` on. Redis may have lost
 * events in the middle: those behind a gap can't be added to the transcript.
 */
function joinAttempts(page: StreamEvent[], saved: Map<number, number>, upTo: number): StreamEvent[][] {
  const joined = new Map<number, StreamEvent[]>();
  for (const event of page) {
    const { attempt, seq } = event;
    if (attempt > upTo || seq !== (saved.get(attempt) ?? 0) + 1) continue;
    saved.set(attempt, seq);
    joined.set(attempt, [...(joined.get(attempt) ?? []), event]);
  }
  return [...joined.values()];
}
