import type { Queryable } from "./client.ts";
import { t } from "./columns.ts";
import { raw, sql } from "./sql.ts";
import { statement } from "./statement.ts";

type PrismaTransaction = { $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown> };

/** A Prisma transaction as a statement's connection. It tells the rows of a result and not how many were written. */
export const queryableOf = (tx: PrismaTransaction): Queryable =>
  ({
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      const rows = await tx.$queryRawUnsafe(text, ...values);
      return { rows, rowCount: Array.isArray(rows) ? rows.length : 0 };
    },
  }) as Queryable;

const lock = (table: string) =>
  statement({
    name: `lock-row-of-${table}`,
    takes: { id: t.text },
    gives: { id: t.text },
    text: sql`SELECT id FROM ${raw(table)} WHERE id = $id FOR UPDATE`,
  });

const locks = {
  agents: lock("agents"),
  hooks: lock("hooks"),
  runs: lock("runs"),
  threads: lock("threads"),
  users: lock("users"),
  webhooks: lock("webhooks"),
};

/** Makes those wait that change the same row, until the transaction ends. */
export async function lockRow(tx: PrismaTransaction, table: keyof typeof locks, id: string): Promise<void> {
  await locks[table].count(queryableOf(tx), { id });
}
