import { readEnv } from "../shared/platform/config/env.ts";
import { loadConfig } from "../shared/platform/config/load-config.ts";
import { openDb } from "../shared/store/client.ts";
import { countByKey } from "../shared/store/reseal/count-by-key.ts";
import { resealColumn } from "../shared/store/reseal/reseal-column.ts";
import { type SealedColumn, sealedColumns } from "../shared/store/reseal/sealed-columns.ts";
import { errorText } from "../shared/platform/error-text.ts";

/* Seals everything with the first of ENCRYPTION_KEYS, beside running processes, and tells what other keys still seal. */
try {
  const env = readEnv();
  const { database, encryptionKeys } = loadConfig(env);
  const current = encryptionKeys[0]?.id ?? "";
  // Columns are read whole. A session that a pooler hands on can't be told to have no time limit.
  const direct = env["DIRECT_DATABASE_URL"];
  const options = { ...(direct ? {} : database), limitsTime: false };
  const db = openDb(direct || database.url, 2, () => undefined, options);
  let left = 0;
  const failed: string[] = [];
  const reseal = async (name: string, column: SealedColumn): Promise<void> => {
    const sealed = await resealColumn(db, encryptionKeys, column);
    if (sealed > 0) process.stdout.write(`${name}: ${sealed} sealed with the key ${current}\n`);
    const others = [...(await countByKey(db, column))].filter(([id]) => id !== current);
    for (const [id, count] of others) process.stdout.write(`${name}: ${count} left under the key ${id}\n`);
    left += others.reduce((sum, [, count]) => sum + count, 0);
  };
  for (const column of sealedColumns) {
    const name = `${column.table}.${column.column}`;
    await reseal(name, column).catch((error: unknown) => {
      failed.push(name);
      process.stderr.write(`${name}: ${errorText(error)}\n`);
    });
  }
  await db.close();
  if (failed.length > 0) process.stdout.write(`Not all was read: ${failed.join(", ")} failed. Run this again.\n`);
  else
    process.stdout.write(
      left === 0
        ? `Nothing is left under other keys than ${current}: they may be taken out of ENCRYPTION_KEYS.\n`
        : `${left} values are left under other keys. Run this again; if they stay, ENCRYPTION_KEYS lacks their keys.\n`,
    );
  process.exitCode = left === 0 && failed.length === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`);
  process.exitCode = 1;
}
