import { type EventId, formatEventId } from "../../domain/run/event-id.ts";
import { cutPage, pageBytes } from "../../domain/json/cut-page.ts";
import type { DaemonLogLine } from "../../schemas/daemon.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/**
 * Lines of a daemon's log after `cursor`, the oldest first: at most `limit`, and none behind the one that fills a page. `has_more`:
 * there are lines behind them.
 */
export async function readDaemonLog(
  db: Pick<Db, "sql">,
  agent_id: string,
  cursor: EventId,
  limit: number,
): Promise<{ data: DaemonLogLine[]; has_more: boolean }> {
  const rows = await read.rows(db.sql, { agent_id, epoch: cursor.attempt, seq: cursor.seq, limit, bytes: pageBytes });
  const lines = rows.flatMap(({ epoch, entries }) =>
    entries
      .filter(([seq]) => epoch > cursor.attempt || seq > cursor.seq)
      .map(([seq, level, stream, message, ts]) => {
        return { id: formatEventId({ attempt: epoch, seq }), level, stream, message, ts };
      }),
  );
  const data = cutPage(lines, limit, ({ message }) => message.length);
  return { data, has_more: data.length < lines.length || rows.at(-1)?.is_followed === true };
}

/** Chunks are counted by their places alone. Those that have the lines are measured, and those that fill a page are read. */
const read = statement({
  name: "read-daemon-log",
  takes: { agent_id: t.text, epoch: t.integer, seq: t.integer, limit: t.integer, bytes: t.integer },
  gives: {
    epoch: t.integer,
    entries: t.json<[number, string, DaemonLogLine["stream"], string, string][]>(),
    is_followed: t.boolean,
  },
  text: sql`
    SELECT epoch, entries, is_followed FROM (
      SELECT epoch, first_seq, entries, is_followed,
        sum(octet_length(entries::text)) OVER (ORDER BY epoch, first_seq) - octet_length(entries::text) AS bytes_before
      FROM (
        SELECT epoch, first_seq, entries, lead(first_seq) OVER place IS NOT NULL AS is_followed,
          sum(lines) OVER place - lines AS lines_before
        FROM (
          SELECT epoch, first_seq, entries,
            last_seq - greatest(first_seq - 1, CASE WHEN epoch = $epoch THEN $seq ELSE 0 END) AS lines
          FROM daemon_logs WHERE agent_id = $agent_id AND (epoch, last_seq) > ($epoch, $seq)
          ORDER BY epoch, first_seq LIMIT $limit + 1
        ) AS next WINDOW place AS (ORDER BY epoch, first_seq)
      ) AS counted WHERE lines_before < $limit
    ) AS measured WHERE bytes_before < $bytes ORDER BY epoch, first_seq`,
});
