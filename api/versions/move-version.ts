import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import type { VersionRecord } from "../../shared/schemas/version.ts";
import type { Db } from "../../shared/store/client.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { setVersionStatus } from "../../shared/store/versions/change-version.ts";
import { readVersion } from "../../shared/store/versions/read-versions.ts";

type Place = { agent_id: string; version: string; owner: Owner };

/** Gives a version a status (undefined: leaves it) and reads it. Throws not_found, or conflict for the current one. */
export async function moveVersion(
  db: Db,
  place: Place,
  status: VersionRecord["status"] | undefined,
): Promise<VersionRecord> {
  const done = status === undefined ? "done" : await setVersionStatus(db, place, status);
  if (done === "current") throw conflict("version_is_current", "The current version can't be archived; upgrade first.");
  const record = await readVersion(db, place.agent_id, place.version, place.owner);
  if (!record) throw notFound("version", place.version);
  return record;
}
