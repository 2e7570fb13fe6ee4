/**
 * A piece of SQL. Parameters of a statement stand in its text as `$name`; values that were put between its pieces stand
 * beside it. So no piece knows the position of a value, and pieces can be put together in any order.
 */
export class Sql {
  /** One more than there are values: the value `i` stands between the pieces `i` and `i + 1`. */
  readonly pieces: readonly string[];
  readonly values: readonly unknown[];

  constructor(pieces: readonly string[], values: readonly unknown[]) {
    this.pieces = pieces;
    this.values = values;
  }
}

/** Makes a piece of SQL. A piece between the texts is spliced in; anything else is a value and never becomes text. */
export function sql(texts: TemplateStringsArray, ...between: readonly unknown[]): Sql {
  return between.reduce<Sql>(
    (left, part, at) => {
      const text = texts[at + 1] ?? "";
      if (part instanceof Sql) return append(append(left, part), new Sql([text], []));
      return new Sql([...left.pieces, text], [...left.values, part]);
    },
    new Sql([texts[0] ?? ""], []),
  );
}

function append(left: Sql, right: Sql): Sql {
  const [first = "", ...rest] = right.pieces;
  const seam = `${left.pieces.at(-1) ?? ""}${first}`;
  return new Sql([...left.pieces.slice(0, -1), seam, ...rest], [...left.values, ...right.values]);
}

/** Text of ours, such as a table's name. Never what a client sent. */
export const raw = (text: string): Sql => new Sql([text], []);

/** A constant of ours as SQL. A constant that is a value instead would be one more parameter, which the planner can't see. */
export const literal = (constant: string | number): Sql =>
  raw(typeof constant === "number" ? String(constant) : `'${constant.replaceAll("'", "''")}'`);

/**
 * The end of a subquery in EXISTS: it is looked up for each row. Without this the planner may read all of a table that was
 * small when it planned, for a hash of it, and keep that plan while the table grows.
 */
export const perRow = raw("OFFSET 0");

/** Pieces with a separator between them, such as `", "` or `" AND "`. */
export const joined = (parts: readonly Sql[], separator: string): Sql =>
  parts.reduce((left, right, at) => (at === 0 ? right : sql`${left}${raw(separator)}${right}`), raw(""));
