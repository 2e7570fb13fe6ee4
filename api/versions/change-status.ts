import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import type { VersionRecord } from "../../shared/schemas/version.ts";
import type { Db } from "../../shared/store/client.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { setVersionStatus } from "../../shared/store/versions/change-version.ts";
import { readVersion } from "../../shared/store/versions/read-versions.ts";

type VersionName = { agent_id: string; version: string; owner: Owner };

/** Sets a version's status (undefined: does not change it) and returns the version. Throws not_found, or conflict for the current version. */
export async function changeStatus(
  db: Db,
  name: VersionName,
  status: VersionRecord["status"] | undefined,
): Promise<VersionRecord> {
  const done = status === undefined ? "done" : await setVersionStatus(db, name, status);
  if (done === "current")
    throw conflict("version_is_current", "The current version can't be archived. Upgrade to another version first.");
  const record = await readVersion(db, name.agent_id, name.version, name.owner);
  if (!record) throw notFound("version", name.version);
  return record;
}
