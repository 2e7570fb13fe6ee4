import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "./generated/client.ts";

/**
 * One pool, two doors: `prisma` for plain reads and lists, `sql` for the statements that fence, lock or must be one.
 * Safe for concurrent use.
 */
export type Db = { sql: pg.Pool; prisma: PrismaClient; close(): Promise<void> };

/** A connection, or a pool of them. */
export type Queryable = Pick<pg.ClientBase, "query">;

/** Opens lazily: the first query connects. `onIdleError` hears of connections that die while idle. */
export function openDb(url: string, poolSize: number, onIdleError: (error: Error) => void): Db {
  const sql = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: "runfleet",
  });
  sql.on("error", onIdleError);
  const prisma = new PrismaClient({ adapter: new PrismaPg(sql) });
  return {
    sql,
    prisma,
    async close() {
      await prisma.$disconnect();
      await sql.end();
    },
  };
}
