/** A condition whose `?` is the value; with a value of null or undefined it says nothing. Its text is ours, never a client's. */
export type Condition = readonly [sql: string, value: unknown];

/** Conditions as one SQL text; their values are appended to `values`. */
export function spellConditions(conditions: readonly Condition[], values: unknown[]): string {
  const parts = conditions.flatMap(([sql, value]) => {
    if (value == null) return [];
    values.push(value);
    return [sql.replaceAll("?", `$${values.length}`)];
  });
  return parts.length > 0 ? parts.join(" AND ") : "true";
}
