/** What a parameter or a result column is: its type in Postgres, and in TypeScript. */
export type Column<T> = {
  /** As Postgres spells it. */
  readonly type: string;
  /** What is sent for a value; absent where the driver knows the type itself. */
  readonly encode?: (value: unknown) => unknown;
  /** For the compiler only. */
  readonly value?: T;
};

export type Columns = Readonly<Record<string, Column<unknown>>>;

/** The values of columns. The driver gives a bigint and a numeric as text, since a number could be too small for it. */
export type Row<C extends Columns> = { [Name in keyof C]: C[Name] extends { readonly value?: infer T } ? T : never };

const column = <T>(type: string): Column<T> => ({ type });

/** Types of columns, named as Postgres names them. */
export const t = {
  text: column<string>("text"),
  integer: column<number>("integer"),
  bigint: column<string>("bigint"),
  /** Also a time in milliseconds, to be multiplied with an interval. */
  double: column<number>("double precision"),
  boolean: column<boolean>("boolean"),
  bytea: column<Buffer>("bytea"),
  timestamptz: column<Date>("timestamp with time zone"),
  /** Of JSON that our own code wrote, or is to write. A value of null is JSON's `null`; see `orNull`. */
  json: <T = unknown>(): Column<T> => ({ type: "json", encode: (value) => JSON.stringify(value) }),
  /** Of JSON that is text already. */
  jsonText: column<string>("json"),
  /** One of the enumerations of the schema. */
  enumeration: <T extends string>(name: string): Column<T> => column<T>(name),
  /** A text that holds one of a few words. */
  word: <T extends string>(): Column<T> => column<T>("text"),
} as const;

/** The same, or null: SQL's. */
export function orNull<T>({ type, encode }: Column<T>): Column<T | null> {
  return encode ? { type, encode: (value) => (value === null ? null : encode(value)) } : { type };
}

export const listOf = <T>({ type }: Column<T>): Column<readonly T[]> => ({ type: `${type}[]` });
