import type { KeyRing } from "../../platform/config/load-config.ts";
import { open, seal } from "../../platform/secrets/seal.ts";
import type { Db } from "../client.ts";
import { listOf, type Row, t } from "../columns.ts";
import { execute, query } from "../query.ts";
import { joined, literal, raw, sql } from "../sql.ts";
import { sealedBytes, type SealedColumn } from "./sealed-columns.ts";

const batch = 100;

const sealedRow = { bytes: t.bytea, key: listOf(t.text) };
type Sealed = Row<typeof sealedRow>;

/**
 * Seals a column's values with the ring's first key, those that another one has sealed. A value that changes meanwhile is
 * left as it was changed, and a value that no key of the ring opens stays as it is. It may be broken off at any time and
 * begun again. Returns how many values it sealed.
 */
export async function resealColumn(db: Db, keyRing: KeyRing, column: SealedColumn): Promise<number> {
  let sealed = 0;
  let after: readonly string[] | null = null;
  for (;;) {
    const rows: Sealed[] = await readBatch(db, keyRing, column, after);
    for (const row of rows) if (await resealRow(db, keyRing, column, row)) sealed += 1;
    after = rows.at(-1)?.key ?? null;
    if (rows.length < batch || after === null) return sealed;
  }
}

async function readBatch(
  db: Db,
  keyRing: KeyRing,
  column: SealedColumn,
  after: readonly string[] | null,
): Promise<Sealed[]> {
  const key = raw(column.key.join(", "));
  const begins = beginning(keyRing);
  const past =
    after === null
      ? sql`true`
      : sql`(${key}) > (${joined(
          after.map((value) => sql`${value}`),
          ", ",
        )})`;
  return query(
    db.sql,
    sealedRow,
    sql`SELECT bytes, ARRAY[${key}] AS key
     FROM (SELECT ${key}, ${sealedBytes(column)} AS bytes FROM ${raw(column.table)}) AS found
     WHERE length(bytes) > 0 AND substr(bytes, 1, ${begins.length}) <> ${begins} AND ${past}
     ORDER BY ${key} LIMIT ${literal(batch)}`,
  );
}

/** How values begin that the ring's first key has sealed. */
function beginning([first]: KeyRing): Buffer {
  const id = Buffer.from(first?.id ?? "");
  return Buffer.concat([Buffer.of(id.length), id]);
}

async function resealRow(db: Db, keyRing: KeyRing, column: SealedColumn, { bytes, key }: Sealed): Promise<boolean> {
  const aad = column.aad(...key);
  const value = tryToOpen(keyRing, bytes, aad);
  if (value === null) return false;
  const sealed = sql`${seal(keyRing, value, aad)}::bytea`;
  const fresh = column.isAnswer ? sql`to_json(replace(encode(${sealed}, 'base64'), chr(10), ''))` : sealed;
  const same = column.key.map((name, at) => sql`${raw(name)} = ${key[at]}`);
  const changed = await execute(
    db.sql,
    sql`UPDATE ${raw(column.table)} SET ${raw(column.column)} = ${fresh}
     WHERE ${joined(same, " AND ")} AND ${sealedBytes(column)} = ${bytes}`,
  );
  return changed === 1;
}

/** Returns null when the ring lacks the key, or the value belongs elsewhere. */
function tryToOpen(keyRing: KeyRing, bytes: Buffer, aad: string): Buffer | null {
  try {
    return open(keyRing, bytes, aad);
  } catch {
    return null;
  }
}
