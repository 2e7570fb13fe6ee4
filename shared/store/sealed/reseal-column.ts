import type { KeyRing } from "../../platform/config/load-config.ts";
import { open, seal } from "../../platform/secrets/seal.ts";
import type { Db } from "../client.ts";
import { sealedBytes, type SealedColumn } from "./sealed-columns.ts";

const batch = 100;

type Row = { bytes: Buffer; key: string[] };

/**
 * Seals a column's values with the ring's first key, those that another one has sealed. A value that changes meanwhile is
 * left to whoever changes it, and one that no key of the ring opens stays as it is. It may be broken off at any time and
 * begun again. Returns how many values it sealed.
 */
export async function resealColumn(db: Db, keyRing: KeyRing, column: SealedColumn): Promise<number> {
  let sealed = 0;
  let after: string[] | null = null;
  for (;;) {
    const rows: Row[] = await readBatch(db, keyRing, column, after);
    for (const row of rows) if (await resealRow(db, keyRing, column, row)) sealed += 1;
    after = rows.at(-1)?.key ?? null;
    if (rows.length < batch || after === null) return sealed;
  }
}

async function readBatch(db: Db, keyRing: KeyRing, column: SealedColumn, after: string[] | null): Promise<Row[]> {
  const key = column.key.join(", ");
  const begins = beginning(keyRing);
  const past = column.key.map((_, at) => `$${at + 3}`).join(", ");
  const { rows } = await db.sql.query<Row>(
    `SELECT bytes, ARRAY[${key}] AS key FROM (SELECT ${key}, ${sealedBytes(column)} AS bytes FROM ${column.table}) AS found
     WHERE length(bytes) > 0 AND substr(bytes, 1, $2) <> $1 ${after === null ? "" : `AND (${key}) > (${past})`}
     ORDER BY ${key} LIMIT ${batch}`,
    [begins, begins.length, ...(after ?? [])],
  );
  return rows;
}

/** How values begin that the ring's first key has sealed. */
function beginning([first]: KeyRing): Buffer {
  const id = Buffer.from(first?.id ?? "");
  return Buffer.concat([Buffer.of(id.length), id]);
}

async function resealRow(db: Db, keyRing: KeyRing, column: SealedColumn, { bytes, key }: Row): Promise<boolean> {
  const aad = column.aad(...key);
  const value = tryToOpen(keyRing, bytes, aad);
  if (value === null) return false;
  const fresh = column.isAnswer ? "to_json(replace(encode($2, 'base64'), chr(10), ''))" : "$2";
  const same = column.key.map((name, at) => `${name} = $${at + 3}`).join(" AND ");
  const { rowCount } = await db.sql.query(
    `UPDATE ${column.table} SET ${column.column} = ${fresh} WHERE ${same} AND ${sealedBytes(column)} = $1`,
    [bytes, seal(keyRing, value, aad), ...key],
  );
  return rowCount === 1;
}

/** Null where the ring lacks the key, or the value belongs elsewhere. */
function tryToOpen(keyRing: KeyRing, bytes: Buffer, aad: string): Buffer | null {
  try {
    return open(keyRing, bytes, aad);
  } catch {
    return null;
  }
}
