import { notFound } from "../../shared/domain/errors/app-error.ts";
import type { VersionRecord } from "../../shared/schemas/version.ts";
import { resolveVersion } from "../../shared/store/agents/resolve-version.ts";
import type { Db } from "../../shared/store/client.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { readVersion } from "../../shared/store/versions/read-versions.ts";

type Name = { agent_id: string; version: string };

/** Returns a version by its exact name, a tag, `current` or `latest`. Throws not_found. */
export async function findVersion(db: Db, { agent_id, version }: Name, owner: Owner): Promise<VersionRecord> {
  const found = await resolveVersion(db, agent_id, version, owner);
  if ("missing" in found) throw found.missing === "agent" ? notFound("agent", agent_id) : notFound("version", version);
  const record = await readVersion(db, agent_id, found.version, owner);
  if (!record) throw notFound("version", version);
  return record;
}
