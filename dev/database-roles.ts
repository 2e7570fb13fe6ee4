import { createHash } from "node:crypto";
import pg from "pg";

/** Owns the tables and migrates them. */
const ownerRole = "runfleet_owner";
/** The API and the workers log in as this role, which may read and write rows only. */
const loginRole = "runfleet";

/**
 * Creates the two roles, in the server of a superuser's URL. Their passwords are hashes of the superuser's: so they need not be
 * stored, and don't reveal it.
 */
export async function createRoles(adminUrl: string): Promise<void> {
  await asAdmin(adminUrl, "postgres", async (client) => {
    for (const role of [ownerRole, loginRole]) {
      const known = await client.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]);
      const password = client.escapeLiteral(passwordOf(adminUrl, role));
      await client.query(
        `${known.rows.length > 0 ? "ALTER" : "CREATE"} ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD ${password}`,
      );
    }
  });
}

/** Returns the superuser's URL with the role that the API and the workers use. */
export const loginUrl = (adminUrl: string): string => urlOf(adminUrl, loginRole);

/** Creates the database of the superuser's URL for the owner role, or changes its owner. Returns the owner's URL. */
export async function createOwnedDatabase(adminUrl: string): Promise<string> {
  const name = decodeURIComponent(new URL(adminUrl).pathname.slice(1));
  await asAdmin(adminUrl, "postgres", async (client) => {
    const known = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    const database = client.escapeIdentifier(name);
    if (known.rows.length === 0) await client.query(`CREATE DATABASE ${database} OWNER ${ownerRole}`);
    else await client.query(`ALTER DATABASE ${database} OWNER TO ${ownerRole}`);
  });
  await asAdmin(adminUrl, name, (client) => client.query(changeOwner));
  return urlOf(adminUrl, ownerRole);
}

/** Grants the login role the use of all tables that the URL's role has created or will create. */
export async function grantUse(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(grants);
  } finally {
    await client.end();
  }
}

/** In databases from before there were roles, everything is the superuser's. A table's sequences change their owner with it. */
const changeOwner = `
  DO $$ DECLARE command text; BEGIN
    ALTER SCHEMA public OWNER TO ${ownerRole};
    FOR command IN
      SELECT format('ALTER TABLE %s OWNER TO ${ownerRole}', oid::regclass) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
      UNION ALL
      SELECT format('ALTER TYPE %s OWNER TO ${ownerRole}', oid::regtype) FROM pg_type
      WHERE typnamespace = 'public'::regnamespace AND typtype = 'e'
      UNION ALL
      SELECT format('ALTER FUNCTION %s OWNER TO ${ownerRole}', oid::regprocedure) FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace
    LOOP EXECUTE command; END LOOP;
  END $$`;

const grants = `
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${loginRole};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${loginRole};
  ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${loginRole};
  ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE ON SEQUENCES TO ${loginRole};
  REVOKE INSERT, UPDATE, DELETE ON _prisma_migrations FROM ${loginRole}`;

function urlOf(adminUrl: string, role: string): string {
  const url = new URL(adminUrl);
  url.username = role;
  url.password = passwordOf(adminUrl, role);
  return url.href;
}

const passwordOf = (adminUrl: string, role: string): string =>
  createHash("sha256")
    .update(`${role} ${new URL(adminUrl).password}`)
    .digest("hex");

async function asAdmin<T>(adminUrl: string, database: string, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(adminUrl);
  url.pathname = `/${encodeURIComponent(database)}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}
