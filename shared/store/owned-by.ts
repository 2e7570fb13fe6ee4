/** Whose rows a statement may touch; null: everybody's. */
export type Owner = string | null;

/** The owner's part of a Prisma `where`. SQL has `($n::text IS NULL OR user_id = $n)`. */
export const ownedBy = (owner: Owner): { user_id?: string } => (owner === null ? {} : { user_id: owner });
