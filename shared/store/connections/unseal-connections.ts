import type { KeyRing } from "../../platform/config/load-config.ts";
import { open } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import { type OpenConnection, openConnection } from "../../schemas/gateway.ts";
import type { Db } from "../client.ts";

type Asked = { user_id: string; agent_id: string; names: readonly string[] };

/** Returns the connections that an agent's runs have under these names, with their secrets. What isn't set is absent. */
export async function openConnections(
  db: Db,
  keyRing: KeyRing,
  { user_id, agent_id, names }: Asked,
): Promise<OpenConnection[]> {
  const rows = await db.prisma.connection.findMany({
    where: { user_id, name: { in: [...names] }, OR: [{ agent_id }, { agent_id: null }] },
  });
  return names.flatMap((name) => {
    const named = rows.filter((row) => row.name === name);
    const row = named.find((one) => one.agent_id === agent_id) ?? named[0];
    if (!row) return [];
    const secret = open(keyRing, row.sealed_secret, sealedFields.connectionSecret(row.id)).toString("utf8");
    return [openConnection.parse({ ...row, secret })];
  });
}
