import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";

export type ArtifactRow = {
  id: string;
  attempt: number;
  name: string;
  mime: string;
  size: bigint;
  sha256: Uint8Array;
  created_at: Date;
};

/** The files that a run handed out, in that order, without their content. */
export async function listArtifacts(db: Db, run_id: string): Promise<ArtifactRow[]> {
  return db.prisma.artifact.findMany({
    where: { run_id },
    orderBy: [{ attempt: "asc" }, { seq: "asc" }],
    omit: { content: true },
  });
}

export async function readArtifact(
  db: Db,
  place: { run_id: string; id: string },
  owner: Owner,
): Promise<(ArtifactRow & { content: Uint8Array | null }) | null> {
  return db.prisma.artifact.findFirst({ where: { ...place, run: ownedBy(owner) } });
}
