import pg from "pg";

/** Whether `error` says that a unique index or key refused a row; that of the given name, when it matters which. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code !== "23505") return false;
  return constraint === undefined || error.constraint === constraint;
}

/** Connection (08), rollback (40), resources (53), lock (55), operator intervention (57): worth another try. */
const transientClasses = ["08", "40", "53", "55", "57"];

/** Whether a statement failed for want of Postgres rather than by its own fault. What isn't Postgres' own word is the connection's. */
export function isPostgresAway(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || transientClasses.includes((error.code ?? "").slice(0, 2));
}

/** Whether Prisma says that a unique index refused a row (its error P2002). */
export function isPrismaUniqueViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "P2002";
}
