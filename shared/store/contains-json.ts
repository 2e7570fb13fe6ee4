/**
 * A condition: the JSON column has the fields of the value, which is searchable JSON text. A column that can't be a `jsonb`, such
 * as one with a NUL in a text, has no fields.
 */
export const containsJson = (column: string): string => `${asJsonb(column)} @> ?::jsonb`;

/** SQL: a JSON column as `jsonb`; null where it can't be one. `->>` of the column itself raises there. */
export const asJsonb = (column: string): string =>
  `(CASE WHEN pg_input_is_valid(${column}::text, 'jsonb') THEN ${column}::text::jsonb END)`;
