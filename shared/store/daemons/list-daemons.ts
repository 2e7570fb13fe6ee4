import type { DaemonRecord, DaemonStatus } from "../../schemas/daemon.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";
import { daemonColumns, type DaemonRow, toDaemonRecord } from "./daemon-record.ts";

export type DaemonFilter = { status?: DaemonStatus | undefined; user_id?: string | undefined; owner: Owner };
type Page = { limit: number; after?: string | undefined; order: "asc" | "desc" };

/** One page by (created_at, agent_id), and whether there is more. An `after` that names no daemon gives none. */
export async function listDaemons(
  db: Db,
  { status, user_id, owner }: DaemonFilter,
  { limit, after, order }: Page,
): Promise<{ data: DaemonRecord[]; has_more: boolean }> {
  const values = [status ?? null, user_id ?? null, after ?? null, limit + 1, owner];
  const { rows } = await db.sql.query<DaemonRow>(order === "asc" ? ascending : descending, values);
  return { data: rows.slice(0, limit).map(toDaemonRecord), has_more: rows.length > limit };
}

const page = (compare: "<" | ">", order: "ASC" | "DESC") => `
  SELECT ${daemonColumns} FROM daemons d
  WHERE ($1::daemon_status IS NULL OR d.status = $1::daemon_status) AND ($2::text IS NULL OR d.user_id = $2)
    AND ($5::text IS NULL OR d.user_id = $5)
    AND ($3::text IS NULL OR
      (d.created_at, d.agent_id) ${compare} (SELECT created_at, agent_id FROM daemons WHERE agent_id = $3))
  ORDER BY d.created_at ${order}, d.agent_id ${order} LIMIT $4`;
const ascending = page(">", "ASC");
const descending = page("<", "DESC");
