import { deployMigrations } from "../prisma/deploy.ts";
import { createOwnedDatabase, createRoles, grantUse, loginUrl } from "./database-roles.ts";

/** One database as two roles: the one that owns its tables, and the one that the API and the workers log in as. */
export type DatabaseUrls = { ownerUrl: string; processUrl: string };

/** Migrates the database of an embedded server, whose superuser's URL is given, and gives it roles. */
export async function prepareEmbedded(adminUrl: string): Promise<DatabaseUrls> {
  await createRoles(adminUrl);
  const ownerUrl = await createOwnedDatabase(adminUrl);
  await deployMigrations(ownerUrl);
  await grantUse(ownerUrl);
  return { ownerUrl, processUrl: loginUrl(adminUrl) };
}

/** Migrates a database that was given; its roles are its operator's. */
export async function prepareGiven(url: string): Promise<DatabaseUrls> {
  await deployMigrations(url);
  return { ownerUrl: url, processUrl: url };
}
