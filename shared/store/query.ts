import type { Queryable } from "./client.ts";
import type { Columns, Row } from "./columns.ts";
import type { Sql } from "./sql.ts";

/**
 * Runs SQL whose text depends on what is asked, such as a list's filters; Postgres plans it each time. Throws when its
 * columns are not the declared ones: that is a fault of ours.
 */
export async function query<Gives extends Columns>(client: Queryable, gives: Gives, text: Sql): Promise<Row<Gives>[]> {
  const { rows, fields } = await client.query<Row<Gives>>(toQuery(text));
  const found = fields.map(({ name }) => name).join(", ");
  const declared = Object.keys(gives).join(", ");
  if (found !== declared) throw new Error(`A query gave the columns ${found} instead of ${declared}.`);
  return rows;
}

/** The same for a statement without a result. Returns how many rows it wrote. */
export async function execute(client: Queryable, text: Sql): Promise<number> {
  return (await client.query(toQuery(text))).rowCount ?? 0;
}

const toQuery = ({ pieces, values }: Sql) => ({
  text: pieces.map((piece, at) => (at === 0 ? piece : `$${at}${piece}`)).join(""),
  values: [...values],
});
