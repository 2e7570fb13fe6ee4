import type { DaemonRecord } from "../../schemas/daemon.ts";
import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { daemonColumns, type DaemonRow, noDaemonYet, toDaemonRecord } from "./daemon-record.ts";

/** An agent's daemon; null when the owner has no such agent. */
export async function readDaemon(db: Db, agent_id: string, owner: Owner): Promise<DaemonRecord | null> {
  const { rows } = await db.sql.query<DaemonRow>({ ...statement, values: [agent_id, owner] });
  if (rows[0]) return toDaemonRecord(rows[0]);
  const agent = await db.prisma.agent.findUnique({
    where: { id: agent_id, ...ownedBy(owner) },
    select: { current_version: true },
  });
  return agent && noDaemonYet(agent_id, agent.current_version);
}

const statement = {
  name: "read-daemon",
  text: `SELECT ${daemonColumns} FROM daemons d WHERE d.agent_id = $1 AND ($2::text IS NULL OR d.user_id = $2)`,
};
