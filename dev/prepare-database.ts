import { deployMigrations } from "../prisma/deploy.ts";
import { createOwnedDatabase, createRoles, grantUse, loginUrl } from "./database-roles.ts";

/** One database's URLs: of the role that owns the tables, and of the role that the API and the workers log in as. */
export type DatabaseUrls = { ownerUrl: string; processUrl: string };

/** Creates the roles of an embedded server's database, and migrates the database. `adminUrl` is the superuser's. */
export async function prepareEmbedded(adminUrl: string): Promise<DatabaseUrls> {
  await createRoles(adminUrl);
  const ownerUrl = await createOwnedDatabase(adminUrl);
  await deployMigrations(ownerUrl);
  await grantUse(ownerUrl);
  return { ownerUrl, processUrl: loginUrl(adminUrl) };
}

/** Migrates the database of DATABASE_URL, whose roles the operator manages. */
export async function prepareGiven(url: string): Promise<DatabaseUrls> {
  await deployMigrations(url);
  return { ownerUrl: url, processUrl: url };
}
