import { createHash } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import type { Queryable } from "./client.ts";
import type { Column, Columns, Row } from "./columns.ts";
import type { Sql } from "./sql.ts";

type Definition<Takes extends Columns, Gives extends Columns> = {
  name: string;
  /** Its parameters: each `$name` in its text. */
  takes?: Takes;
  /** Its result columns. */
  gives?: Gives;
  text: Sql;
};

type Given<Takes extends Columns> = [keyof Takes] extends [never] ? [] : [values: Row<Takes>];

/** A statement whose text is always the same, and which each connection prepares once. */
export type Statement<Takes extends Columns, Gives extends Columns> = {
  readonly name: string;
  readonly text: string;
  rows(client: Queryable, ...values: Given<Takes>): Promise<Row<Gives>[]>;
  /** Null: there is no row. */
  first(client: Queryable, ...values: Given<Takes>): Promise<Row<Gives> | null>;
  /** How many rows it read or wrote. */
  count(client: Queryable, ...values: Given<Takes>): Promise<number>;
};

type None = Record<never, never>;

/** Hears of each statement when its module is loaded; a test compares them with the database. */
const defined = channel("runfleet:statement");

/**
 * Defines a statement. Its text is built here, once. Each `$name` becomes a position with the declared type, so Postgres has
 * none to guess. Its name ends with a hash of its text: a connection that a pooler or a deploy hands on never meets an older
 * plan under the same name.
 */
export function statement<Takes extends Columns = None, Gives extends Columns = None>(
  definition: Definition<Takes, Gives>,
): Statement<Takes, Gives> {
  const { text, order } = positioned(definition.name, definition.text, definition.takes ?? {});
  const name = `${definition.name}-${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
  const run = (client: Queryable, [values]: [values?: unknown]) =>
    client.query<Row<Gives>>({ name, text, values: order.map((encode) => encode(values)) });
  defined.publish({ name, text, takes: definition.takes ?? {}, gives: definition.gives ?? {} });
  return {
    name,
    text,
    rows: async (client, ...values) => (await run(client, values)).rows,
    first: async (client, ...values) => (await run(client, values)).rows[0] ?? null,
    count: async (client, ...values) => (await run(client, values)).rowCount ?? 0,
  };
}

type Encode = (values: unknown) => unknown;

/** A statement's text with positions instead of names, and what is sent at each position. */
function positioned(name: string, { pieces, values }: Sql, takes: Columns): { text: string; order: Encode[] } {
  if (values.length > 0)
    throw new Error(`The statement ${name} has a value in its text; make it a parameter or a literal.`);
  const names = Object.keys(takes);
  const text = pieces.join("").replaceAll(/\$([a-z_]\w*)/g, (_, parameter: string) => {
    if (!names.includes(parameter)) throw new Error(`The statement ${name} doesn't declare $${parameter}.`);
    return `$${names.indexOf(parameter) + 1}::${takes[parameter]?.type}`;
  });
  const unused = names.filter((_, at) => !new RegExp(String.raw`\$${at + 1}::`).test(text));
  if (unused.length > 0) throw new Error(`The statement ${name} doesn't use $${unused.join(", $")}.`);
  return { text, order: Object.entries(takes).map(([parameter, column]) => encoder(parameter, column)) };
}

function encoder(parameter: string, { encode }: Column<unknown>): Encode {
  const valueOf: Encode = (values) => (values as Record<string, unknown>)[parameter];
  return encode ? (values) => encode(valueOf(values)) : valueOf;
}
