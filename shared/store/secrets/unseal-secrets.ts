import type { KeyRing } from "../../platform/config/load-config.ts";
import { open } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import type { Db } from "../client.ts";

type Asked = { user_id: string; agent_id: string; version: string; names: readonly string[] };

/** Name → value. `ofAgent`: those for a tag of the version. `ofOwner`: those of all of the owner's agents. */
export type UnsealedSecrets = { ofAgent: Record<string, string>; ofOwner: Record<string, string> };

/** Returns the secrets that a version's runs have beside its agent's untagged ones. One of a tag wins over one without. */
export async function unsealSecrets(
  db: Db,
  keyRing: KeyRing,
  { user_id, agent_id, version, names }: Asked,
): Promise<UnsealedSecrets> {
  const tags = await db.prisma.agentTag.findMany({ where: { agent_id, version }, select: { tag: true } });
  const rows = await db.prisma.secret.findMany({
    where: {
      user_id,
      name: { in: [...names] },
      OR: [{ agent_id }, { agent_id: null }],
      AND: { OR: [{ tag: null }, { tag: { in: tags.map(({ tag }) => tag) } }] },
    },
    // A later one replaces an earlier one of its name.
    orderBy: { tag: { sort: "asc", nulls: "first" } },
  });
  const opened = (isOfAgent: boolean): Record<string, string> =>
    Object.fromEntries(
      rows
        .filter((row) => (row.agent_id !== null) === isOfAgent)
        .map(({ id, name, sealed_value }) => [
          name,
          open(keyRing, Buffer.from(sealed_value), sealedFields.ownerSecret(id)).toString("utf8"),
        ]),
    );
  return { ofAgent: opened(true), ofOwner: opened(false) };
}

/** Returns all secrets that a version's config names and that are set. Its agent's win, and of these the ones of a tag. */
export async function unsealAllSecrets(db: Db, keyRing: KeyRing, asked: Asked): Promise<Record<string, string>> {
  const { agent_id, names } = asked;
  if (names.length === 0) return {};
  const [{ ofAgent, ofOwner }, rows] = await Promise.all([
    unsealSecrets(db, keyRing, asked),
    db.prisma.agentSecret.findMany({ where: { agent_id, name: { in: [...names] } } }),
  ]);
  const untagged = rows.map(({ name, sealed_value }) => [
    name,
    open(keyRing, Buffer.from(sealed_value), sealedFields.agentSecret(agent_id, name)).toString("utf8"),
  ]);
  return { ...ofOwner, ...(Object.fromEntries(untagged) as Record<string, string>), ...ofAgent };
}
