import type { KeyRing } from "../../platform/config/load-config.ts";
import type { SecretRecord } from "../../schemas/agent.ts";
import { seal } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import type { Db } from "../client.ts";
import { orNull, type Row, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { shownColumns, toSecretRecord } from "../secrets/secret-record.ts";

const secretColumns = { name: t.text, created_at: t.timestamptz, updated_at: t.timestamptz };

const toRecord = (row: Row<typeof secretColumns>): SecretRecord => toSecretRecord({ ...row, tag: null });

const shown = { name: true, created_at: true, updated_at: true } as const;

/** The names of an agent's secrets, those of tags behind the others, never their values. Returns null when the owner has no such agent. */
export async function listSecrets(db: Db, agent_id: string, owner: Owner): Promise<SecretRecord[] | null> {
  const agent = await db.prisma.agent.findUnique({
    where: { id: agent_id, ...ownedBy(owner) },
    select: {
      secrets: { select: shown, orderBy: { name: "asc" } },
      tagged_secrets: { select: shownColumns, orderBy: [{ name: "asc" }, { tag: "asc" }] },
    },
  });
  return agent && [...agent.secrets.map(toRecord), ...agent.tagged_secrets.map(toSecretRecord)];
}

export type NewSecret = { agent_id: string; name: string; value: string };

/** Sets a secret, whether it stood or not. Returns null when the owner has no such agent. */
export async function putSecret(
  db: Db,
  keyRing: KeyRing,
  owner: Owner,
  { agent_id, name, value }: NewSecret,
): Promise<SecretRecord | null> {
  const sealed = seal(keyRing, value, sealedFields.agentSecret(agent_id, name));
  const row = await put.first(db.sql, { agent_id, name, sealed_value: sealed, owner });
  return row && toRecord(row);
}

const put = statement({
  name: "put-agent-secret",
  takes: { agent_id: t.text, name: t.text, sealed_value: t.bytea, owner: orNull(t.text) },
  gives: secretColumns,
  text: sql`
    INSERT INTO agent_secrets AS s (agent_id, name, sealed_value)
    SELECT id, $name, $sealed_value FROM agents WHERE id = $agent_id AND ($owner IS NULL OR user_id = $owner)
    ON CONFLICT (agent_id, name) DO UPDATE SET sealed_value = excluded.sealed_value, updated_at = now()
    RETURNING s.name, s.created_at, s.updated_at`,
});

/** Returns false when there is none of this name on an agent of the owner's. */
export async function deleteSecret(db: Db, agent_id: string, name: string, owner: Owner): Promise<boolean> {
  const { count } = await db.prisma.agentSecret.deleteMany({ where: { agent_id, name, agent: ownedBy(owner) } });
  return count === 1;
}
