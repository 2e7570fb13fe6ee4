import type { DaemonRecord, DaemonStatus } from "../../schemas/daemon.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { raw, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { Owner } from "../owned-by.ts";
import { daemonColumns, selectDaemon, toDaemonRecord } from "./daemon-record.ts";

export type DaemonFilter = { status?: DaemonStatus | undefined; user_id?: string | undefined; owner: Owner };
type Page = { limit: number; after?: string | undefined; order: "asc" | "desc" };

/** One page by (created_at, agent_id), and whether there is more. An `after` that names no daemon gives none. */
export async function listDaemons(
  db: Db,
  { status, user_id, owner }: DaemonFilter,
  { limit, after, order }: Page,
): Promise<{ data: DaemonRecord[]; has_more: boolean }> {
  const bounds = { after: after ?? null, limit: limit + 1 };
  const rows = await pages[order].rows(db.sql, { status: status ?? null, user_id: user_id ?? null, owner, ...bounds });
  return { data: rows.slice(0, limit).map(toDaemonRecord), has_more: rows.length > limit };
}

const page = (order: Page["order"]) =>
  statement({
    name: `list-daemons-${order}`,
    takes: {
      status: orNull(t.enumeration<DaemonStatus>("daemon_status")),
      user_id: orNull(t.text),
      owner: orNull(t.text),
      after: orNull(t.text),
      limit: t.integer,
    },
    gives: daemonColumns,
    text: sql`
      SELECT ${selectDaemon} FROM daemons d
      WHERE ($status IS NULL OR d.status = $status) AND ($user_id IS NULL OR d.user_id = $user_id)
        AND ($owner IS NULL OR d.user_id = $owner)
        AND ($after IS NULL OR (d.created_at, d.agent_id) ${raw(order === "asc" ? ">" : "<")}
          (SELECT created_at, agent_id FROM daemons WHERE agent_id = $after))
      ORDER BY d.created_at ${raw(order)}, d.agent_id ${raw(order)} LIMIT $limit`,
  });

const pages = { asc: page("asc"), desc: page("desc") };
