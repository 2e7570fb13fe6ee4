import type { Db } from "../../shared/store/client.ts";
import { compactTranscript, type EndedAttempt } from "../../shared/store/runs/transcript/compact-transcript.ts";

/** Joins what slow runs have written piece by piece, so that an old run is a row or two. */
export type TranscriptCompactor = {
  /** Takes note of an attempt that has ended its run. `pieces`: how often it wrote to the transcript before its end. */
  add(ended: EndedAttempt & { pieces: number }): void;
  /** Joins what was noted. What fails stays in pieces. */
  compact(): Promise<void>;
};

/** Each piece costs half a kilobyte and some 16 µs of Postgres to join: fewer and larger ones are not worth it. */
const fewestPieces = 4;
const largestPiece = 8 * 1024;

export function createTranscriptCompactor(db: Db): TranscriptCompactor {
  let noted: EndedAttempt[] = [];
  return {
    add({ id, attempt, length, pieces }) {
      if (pieces >= fewestPieces && length / pieces <= largestPiece) noted.push({ id, attempt, length });
    },
    async compact() {
      const ended = noted;
      noted = [];
      await Promise.all(ended.map((one) => compactTranscript(db, one)));
    },
  };
}
