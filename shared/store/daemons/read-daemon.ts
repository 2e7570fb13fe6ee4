import type { DaemonRecord } from "../../schemas/daemon.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { daemonColumns, noDaemonYet, selectDaemon, toDaemonRecord } from "./daemon-record.ts";

/** An agent's daemon; null when the owner has no such agent. */
export async function readDaemon(db: Db, agent_id: string, owner: Owner): Promise<DaemonRecord | null> {
  const row = await read.first(db.sql, { agent_id, owner });
  if (row) return toDaemonRecord(row);
  const agent = await db.prisma.agent.findUnique({
    where: { id: agent_id, ...ownedBy(owner) },
    select: { current_version: true },
  });
  return agent && noDaemonYet(agent_id, agent.current_version);
}

const read = statement({
  name: "read-daemon",
  takes: { agent_id: t.text, owner: orNull(t.text) },
  gives: daemonColumns,
  text: sql`SELECT ${selectDaemon} FROM daemons d WHERE d.agent_id = $agent_id AND ($owner IS NULL OR d.user_id = $owner)`,
});
