import type { KeyRing } from "../../platform/config/load-config.ts";
import type { SecretRecord } from "../../schemas/agent.ts";
import { seal } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";

type Row = { name: string; created_at: Date; updated_at: Date };

const toRecord = ({ name, created_at, updated_at }: Row): SecretRecord => ({
  name,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

const shown = { name: true, created_at: true, updated_at: true } as const;

/** The names of an agent's secrets, never their values. Null: the owner has no such agent. */
export async function listSecrets(db: Db, agent_id: string, owner: Owner): Promise<SecretRecord[] | null> {
  const agent = await db.prisma.agent.findUnique({
    where: { id: agent_id, ...ownedBy(owner) },
    select: { secrets: { select: shown, orderBy: { name: "asc" } } },
  });
  return agent && agent.secrets.map(toRecord);
}

export type NewSecret = { agent_id: string; name: string; value: string };

/** Sets a secret, whether it stood or not. Null: the owner has no such agent. */
export async function putSecret(
  db: Db,
  keyRing: KeyRing,
  owner: Owner,
  { agent_id, name, value }: NewSecret,
): Promise<SecretRecord | null> {
  const sealed = seal(keyRing, value, sealedFields.agentSecret(agent_id, name));
  const { rows } = await db.sql.query<Row>({ ...put, values: [agent_id, name, sealed, owner] });
  return rows[0] ? toRecord(rows[0]) : null;
}

const put = {
  name: "put-agent-secret",
  text: `
    INSERT INTO agent_secrets AS s (agent_id, name, sealed_value)
    SELECT id, $2, $3 FROM agents WHERE id = $1 AND ($4::text IS NULL OR user_id = $4)
    ON CONFLICT (agent_id, name) DO UPDATE SET sealed_value = excluded.sealed_value, updated_at = now()
    RETURNING s.name, s.created_at, s.updated_at`,
};

/** False: there is none of this name on an agent of the owner's. */
export async function deleteSecret(db: Db, agent_id: string, name: string, owner: Owner): Promise<boolean> {
  const { count } = await db.prisma.agentSecret.deleteMany({ where: { agent_id, name, agent: ownedBy(owner) } });
  return count === 1;
}
