import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject, onTestFinished } from "vitest";

/** The URL of a database that doesn't exist yet; what is made there is dropped when the test ends. */
export function freshDatabaseUrl(): string {
  const name = `prisma_test_${randomUUID().replaceAll("-", "")}`;
  onTestFinished(async () => {
    await query(inject("databaseUrl"), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
  const url = new URL(inject("databaseUrl"));
  url.pathname = `/${name}`;
  return url.href;
}

/** The rows of the last of these statements, which are one transaction. */
export async function query(databaseUrl: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // pg's types don't say that several statements give several results.
    const results: unknown = await client.query(sql);
    return (results as pg.QueryResult[]).at?.(-1)?.rows ?? (results as pg.QueryResult).rows;
  } finally {
    await client.end();
  }
}
