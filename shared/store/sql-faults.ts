import pg from "pg";

/** Whether `error` says that a unique index or key refused a row; that of the given name, when it matters which. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code !== "23505") return false;
  return constraint === undefined || error.constraint === constraint;
}

/**
 * Connection (08), login (28), rollback (40), resources (53), lock (55), operator intervention (57), the system below Postgres
 * (58): worth another try.
 */
const transientClasses = ["08", "28", "40", "53", "55", "57", "58"];

/** A server that takes no writes, such as a standby; transactions that were idle or open for too long; a missing database. */
const transientStates = ["25006", "25P03", "25P04", "3D000"];

/** True when an SQLSTATE says that Postgres can't serve for now: the same statement may succeed later, or elsewhere. */
export const isTransientState = (state: string): boolean =>
  transientClasses.includes(state.slice(0, 2)) || transientStates.includes(state);

/** Whether a statement failed for want of Postgres rather than by its own fault. What isn't Postgres' own word is the connection's. */
export function isPostgresAway(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || isTransientState(error.code ?? "");
}

/** Whether a server refused to write because it is read-only, as a standby and a demoted primary are. */
export function isReadOnlyFault(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "25006";
}

/** Whether Prisma says that a unique index refused a row (its error P2002). */
export function isPrismaUniqueViolation(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "P2002";
}
