import { hashJson } from "../../platform/hash-json.ts";
import { defaultVersion, devPrefix } from "../../domain/agent/version-names.ts";
import { t } from "../columns.ts";
import type { Prisma } from "../generated/client.ts";
import { queryableOf } from "../prisma-transaction.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { isDevVersion } from "./is-dev-version.ts";

/** `content_hash`: of the config. `dev`: a development version is named apart from the releases, and compared apart. */
type Content = { agent_id: string; content_hash: Buffer; dev: boolean };

/** Hexadecimal digits of the hash in a name: more of them where other content has the same first ones. */
const lengths = [8, 16, 64];

/** Returns the version of a new agent whose publisher names none. */
export function firstVersion({ content_hash, dev }: Content): string {
  return dev ? `${devPrefix}${content_hash.toString("hex").slice(0, lengths[0])}` : defaultVersion;
}

/**
 * Returns the version of an agent's content: the one that has this content already, or a new name that is made of the highest
 * release and the content's hash. Within a transaction that holds the agent's lock.
 */
export async function nameContent(tx: Prisma.TransactionClient, content: Content): Promise<string> {
  const { agent_id, content_hash, dev } = content;
  const client = queryableOf(tx);
  await hashCurrent(tx, agent_id);
  const same = await findSame.first(client, content);
  if (same) return same.version;
  const base = (await findHighest.first(client, { agent_id }))?.version ?? defaultVersion;
  const digits = content_hash.toString("hex");
  const names = lengths.map((length) =>
    dev ? `${devPrefix}${digits.slice(0, length)}` : `${base}+${digits.slice(0, length)}`,
  );
  const taken = await tx.agentVersion.findMany({
    where: { agent_id, version: { in: names } },
    select: { version: true },
  });
  return names.find((name) => taken.every(({ version }) => version !== name)) ?? digits;
}

/** Gives the current version its hash where an earlier release published it. */
async function hashCurrent(tx: Prisma.TransactionClient, agent_id: string): Promise<void> {
  const found = await findUnhashed.first(queryableOf(tx), { agent_id });
  if (!found) return;
  const { version, config } = found;
  const content_hash = new Uint8Array(hashJson(config));
  await tx.agentVersion.update({ where: { agent_id_version: { agent_id, version } }, data: { content_hash } });
}

const findUnhashed = statement({
  name: "find-unhashed-current-version",
  takes: { agent_id: t.text },
  gives: { version: t.text, config: t.json() },
  text: sql`
    SELECT v.version, v.config FROM agents a JOIN agent_versions v ON v.agent_id = a.id AND v.version = a.current_version
    WHERE a.id = $agent_id AND v.content_hash IS NULL`,
});

const findSame = statement({
  name: "find-version-of-content",
  takes: { agent_id: t.text, content_hash: t.bytea, dev: t.boolean },
  gives: { version: t.text },
  text: sql`
    SELECT version FROM agent_versions
    WHERE agent_id = $agent_id AND content_hash = $content_hash AND ${isDevVersion} = $dev
    ORDER BY status = 'archived', created_at DESC LIMIT 1`,
});

/** Of names like `1.2.0`, `v3` or `1.2.0+abc`, without what follows the `+`. */
const findHighest = statement({
  name: "find-highest-release",
  takes: { agent_id: t.text },
  gives: { version: t.text },
  text: sql`
    SELECT version FROM (
      SELECT split_part(version, '+', 1) AS version FROM agent_versions WHERE agent_id = $agent_id
    ) AS releases
    WHERE version ~ '^v?[0-9]{1,9}(\\.[0-9]{1,9}){0,3}$'
    ORDER BY string_to_array(ltrim(version, 'v'), '.')::numeric[] DESC LIMIT 1`,
});
