import type { StreamEvent } from "../../../schemas/run-event.ts";
import { t } from "../../columns.ts";
import { type Sql, sql } from "../../sql.ts";

/** A transcript's chunk: gapless events, as [[seq, type, data], …]. */
type Chunk = { first_seq: number; last_seq: number; events: [number, string, string][] };

/** The parameters of a statement that writes a chunk. */
export const chunkColumns = { first_seq: t.integer, last_seq: t.integer, events: t.json<Chunk["events"]>() };

/** Their values. Throws when there are no events. */
export function chunkOf(events: readonly StreamEvent[]): Chunk {
  const [first, last] = [events[0], events.at(-1)];
  if (!first || !last) throw new Error("There are no events to write.");
  return { first_seq: first.seq, last_seq: last.seq, events: events.map(({ seq, type, data }) => [seq, type, data]) };
}

/** How heavy a chunk is in a batch: its characters. */
export const weighChunk = ({ events }: Pick<Chunk, "events">): number =>
  events.reduce((sum, [, , data]) => sum + data.length, 0);

/** SQL: the parameters as the columns of a chunk. */
export const givenChunk = sql`$first_seq AS first_seq, $last_seq AS last_seq, $events AS events`;

/** SQL: writes the chunks that `of` selects as (id, attempt, first_seq, last_seq, events); `id`: the run's. */
export const insertChunks = (of: Sql): Sql => sql`
  INSERT INTO transcript_chunks (run_id, attempt, first_seq, last_seq, events)
  SELECT of.id, of.attempt, of.first_seq, of.last_seq, of.events FROM (${of}) AS of`;
