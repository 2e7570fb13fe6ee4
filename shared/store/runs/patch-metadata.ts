import { mergeMetadata } from "../../domain/json/merge-patch.ts";
import { isBulkLabel, labelsOf } from "../../domain/run/labels.ts";
import { requestLimits } from "../../domain/run/request-limits.ts";
import type { Db } from "../client.ts";
import type { Prisma } from "../generated/client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { lockRow } from "../prisma-transaction.ts";

/** Merges a patch into a run's metadata; concurrent ones go one after the other. Returns false when the owner has no such run. */
export async function patchMetadata(
  db: Db,
  id: string,
  owner: Owner,
  patch: Record<string, unknown> | null | undefined,
): Promise<boolean> {
  return db.prisma.$transaction(async (tx) => {
    await lockRow(tx, "runs", id);
    const run = await tx.run.findUnique({
      where: { id, ...ownedBy(owner) },
      select: { tags: true, metadata: true, labels: true },
    });
    if (!run) return false;
    const metadata = mergeMetadata(run.metadata, patch, requestLimits.metadata_keys);
    const labels = [...labelsOf({ tags: run.tags, metadata }), ...run.labels.filter(isBulkLabel)];
    const data = { labels, metadata: metadata as Prisma.InputJsonObject };
    await tx.run.update({ where: { id }, data, select: { id: true } });
    return true;
  });
}
