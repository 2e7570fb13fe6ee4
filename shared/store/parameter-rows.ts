import { type Column, type Columns, type Row, t } from "./columns.ts";
import { joined, literal, raw, type Sql, sql } from "./sql.ts";

/** Each column as a list: one value a row. */
type Lists<C extends Columns> = { [Name in keyof C]: Column<readonly Row<C>[Name][]> };

export type ParameterRows<C extends Columns> = {
  /** The parameters of a statement over any number of rows. */
  takes: Lists<C>;
  /** SQL: the CTE `input`, one row for each of the rows. */
  cte: Sql;
  /** The values of the parameters. */
  listsOf(rows: readonly Row<C>[]): Row<Lists<C>>;
};

/**
 * Rows of values as parameters, so that one statement is for any number of them. JSON and lists travel as text, because an
 * array of Postgres can't hold arrays of different lengths. Two things are for the planner:
 * - The lists stand behind a fence (OFFSET 0). Otherwise the planner counts their elements, finds a plan for just so many
 *   cheaper than one for any number, and plans each execution anew, which takes a millisecond.
 * - The limit is a subquery, of which the planner knows nothing: it expects one row. Otherwise it expects ten, reads a whole
 *   small table rather than its index, and keeps that plan while the table grows.
 */
export function parameterRows<C extends Columns>(columns: C): ParameterRows<C> {
  const names = Object.keys(columns);
  const takes = Object.fromEntries(names.map((name) => [name, listColumn(columns[name])]));
  const columnsOf = (table: string) => names.map((name) => raw(`${table}.${name}`));
  const given = names.map((name) => raw(`$${name} AS ${name}`));
  const shown = names.map((name) => {
    const { type = "text" } = columns[name] ?? {};
    return raw(travelsAsText(type) ? `given.${name}::${type} AS ${name}` : `given.${name}`);
  });
  return {
    takes: takes as Lists<C>,
    cte: sql`input AS (
      SELECT ${joined(shown, ", ")}
      FROM (SELECT ${joined(given, ", ")} OFFSET 0) AS lists,
        unnest(${joined(columnsOf("lists"), ", ")}) AS given (${raw(names.join(", "))})
      LIMIT (SELECT ${literal(mostRows)})
    )`,
    listsOf: (rows) =>
      Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name as keyof C])])) as Row<Lists<C>>,
  };
}

/** More than any statement has. */
const mostRows = 10_000;

const travelsAsText = (type: string): boolean => type === "json" || type.endsWith("[]");

function listColumn({ type, encode = (value) => value }: Column<unknown> = t.text): Column<readonly unknown[]> {
  if (type.endsWith("[]")) return textList((list) => arrayLiteral(list as readonly string[]));
  if (travelsAsText(type) || type === "text") return textList(encode as (value: unknown) => string | null);
  return { type: `${type}[]`, encode: (rows) => (rows as readonly unknown[]).map(encode) };
}

const textList = (encode: (value: unknown) => string | null): Column<readonly unknown[]> => ({
  type: "text[]",
  encode: (rows) => arrayLiteral((rows as readonly unknown[]).map(encode)),
});

/**
 * A list of texts as Postgres reads an array: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 * The driver would write it as well, but takes more than a second for some megabytes of quotes or backslashes.
 */
const arrayLiteral = (texts: readonly (string | null)[]): string =>
  `{${texts.map((text) => (text == null ? "NULL" : quote(text))).join(",")}}`;

/** JSON escapes quotes and backslashes as an array does, and these besides: control characters, and halves of pairs. */
const escapedByJson = /[\p{Cc}\p{Cs}]/u;

const quote = (text: string): string =>
  escapedByJson.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : JSON.stringify(text);
