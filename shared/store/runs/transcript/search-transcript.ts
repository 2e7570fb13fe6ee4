import type { searchPlaces } from "../../../schemas/run-filter.ts";
import { transcriptLimits } from "../../../schemas/run-filter.ts";
import { searchPattern } from "../../search-pattern.ts";
import type { Condition } from "../../where-clause.ts";

export type SearchPlace = (typeof searchPlaces)[number];
type TranscriptPart = Exclude<SearchPlace, "record">;

/** The events whose last field is searched. Output may be cut anywhere, so its pieces are joined first. */
const places = {
  output: { type: "output.delta", field: "content", between: "" },
  logs: { type: "log", field: "message", between: "\n" },
} as const satisfies Record<TranscriptPart, object>;

/**
 * On a row of `runs`: some attempt has said the text, in any case. An event's data is JSON text with that field last. It is
 * searched as it is, for the text as JSON writes it: Postgres can't make a text of JSON that has \\u0000.
 */
export function saidCondition(place: TranscriptPart, search: string): Condition {
  const { type, field, between } = places[place];
  const key = `"${field}":`;
  return [
    `EXISTS (
      SELECT 1 FROM (
        SELECT attempt, first_seq, events, sum(pg_column_size(events)) OVER (ORDER BY attempt, first_seq) AS size
        FROM transcript_chunks WHERE run_id = runs.id
      ) AS chunk, json_array_elements(chunk.events) WITH ORDINALITY AS said (event, nth),
        LATERAL (SELECT substr(said.event ->> 2, strpos(said.event ->> 2, '${key}') + ${key.length}) AS rest) AS value
      WHERE chunk.size - pg_column_size(chunk.events) < ${transcriptLimits.bytes} AND said.event ->> 1 = '${type}'
      GROUP BY attempt
      HAVING string_agg(CASE WHEN left(rest, 1) = '"' THEN substr(rest, 2, length(rest) - 3) ELSE rest END,
        '${between}' ORDER BY first_seq, nth) ILIKE ?)`,
    searchPattern(JSON.stringify(search).slice(1, -1)),
  ];
}
