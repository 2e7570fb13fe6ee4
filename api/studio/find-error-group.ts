import { notFound } from "../../shared/domain/errors/app-error.ts";
import { mostRunIds } from "../../shared/schemas/error-group.ts";
import type { Db } from "../../shared/store/client.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { readTraceback } from "../../shared/store/runs/errors/failures.ts";
import { groupErrors } from "./group-errors.ts";

type Wanted = { fingerprint: string; since: Date; until: Date };

/** Returns a group with its newest runs. Throws not_found. */
export async function findErrorGroup(db: Db, owner: Owner, { fingerprint, since, until }: Wanted) {
  const { groups } = await groupErrors(db, owner, { since, until });
  const found = groups.find(({ group }) => group.fingerprint === fingerprint);
  if (!found) throw notFound("error_group", fingerprint);
  const { group, run_ids } = found;
  return { ...group, traceback: await readTraceback(db, group.last_run_id), run_ids: run_ids.slice(0, mostRunIds) };
}
