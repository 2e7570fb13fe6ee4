import { beforeFirst, type EventId } from "../../shared/domain/run/event-id.ts";
import type { Db } from "../../shared/store/client.ts";
import { readTranscript } from "../../shared/store/runs/transcript/read-transcript.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { Range } from "./settle-output.ts";

/** Returns what a run's earlier attempts have output and that stands, in order. `standing`: events, by attempt. */
export async function readStandingOutputs(
  db: Db,
  runId: string,
  standing: ReadonlyMap<number, Range[]>,
): Promise<unknown[]> {
  const outputs: unknown[] = [];
  for (let cursor: EventId = beforeFirst; ;) {
    const events = await untilPostgresAnswers(() => readTranscript(db, runId, cursor));
    for (const { attempt, seq, type, data } of events) {
      if (type !== "output.delta" || !isAmong(standing.get(attempt) ?? [], seq)) continue;
      outputs.push((JSON.parse(data) as { content: unknown }).content);
    }
    const last = events.at(-1);
    if (!last) return outputs;
    cursor = { attempt: last.attempt, seq: last.seq };
  }
}

/** `ranges`: in order. */
function isAmong(ranges: readonly Range[], seq: number): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [from, to] = ranges[middle] ?? [0, 0];
    if (seq < from) high = middle - 1;
    else if (seq > to) low = middle + 1;
    else return true;
  }
  return false;
}
