import { joined, Sql, sql } from "./sql.ts";

/** A condition whose `?` is the value; with a value of null or undefined it says nothing. Its text is ours, never a client's. */
export type Condition = readonly [sql: string, value: unknown];

/** The conditions that have a value, as what follows WHERE. */
export function whereClause(conditions: readonly Condition[]): Sql {
  const parts = conditions.flatMap(([condition, value]) => {
    if (value == null) return [];
    const pieces = condition.split("?");
    return [
      new Sql(
        pieces,
        pieces.slice(1).map(() => value),
      ),
    ];
  });
  return parts.length > 0 ? joined(parts, " AND ") : sql`true`;
}
