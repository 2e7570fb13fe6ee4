import type { SecretRecord } from "../../schemas/agent.ts";
import type { Db } from "../client.ts";
import { shownColumns, toSecretRecord } from "./secret-record.ts";

/** The secrets of all of an owner's agents, never their values. They are as many as `SECRETS_PER_USER` allows at most. */
export async function listOwnerSecrets(db: Db, user_id: string): Promise<SecretRecord[]> {
  const rows = await db.prisma.secret.findMany({
    where: { user_id, agent_id: null },
    select: shownColumns,
    orderBy: [{ name: "asc" }, { tag: "asc" }],
  });
  return rows.map(toSecretRecord);
}
