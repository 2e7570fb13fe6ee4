import { randomBytes } from "node:crypto";
import type { KeyRing } from "../../platform/config/load-config.ts";
import { newId } from "../../platform/ids.ts";
import { open, seal } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import type { Db } from "../client.ts";

/** Standard Webhooks asks for 24 to 64 bytes. */
const secretBytes = 32;

/** The `whsec_…` secrets that sign a user's callbacks now, the newest first. A user who has none gets the first one. */
export async function readSigningSecrets(db: Db, keyRing: KeyRing, user_id: string): Promise<string[]> {
  const active = await readActive(db.prisma, keyRing, user_id);
  if (active.length > 0) return active;
  return db.prisma.$transaction(async (tx) => {
    await lockUser(tx, user_id);
    const others = await readActive(tx, keyRing, user_id);
    return others.length > 0 ? others : [await insertSecret(tx, keyRing, user_id)];
  });
}

/** Makes a new secret and gives it. The ones before go on signing for 24 hours, so that receivers can follow. */
export async function rotateSigningSecret(db: Db, keyRing: KeyRing, user_id: string): Promise<string> {
  return db.prisma.$transaction(async (tx) => {
    await lockUser(tx, user_id);
    await tx.$executeRaw`
      UPDATE callback_secrets SET expires_at = now() + interval '24 hours'
      WHERE user_id = ${user_id} AND expires_at IS NULL`;
    return insertSecret(tx, keyRing, user_id);
  });
}

type Tables = Pick<Db["prisma"], "callbackSecret" | "$executeRaw" | "$queryRaw">;

/** One secret at a time per user; whoever only ever ran agents has no row yet. */
async function lockUser(tx: Tables, user_id: string): Promise<void> {
  await tx.$executeRaw`INSERT INTO users (id) VALUES (${user_id}) ON CONFLICT (id) DO UPDATE SET id = users.id`;
}

async function readActive(tables: Tables, keyRing: KeyRing, user_id: string): Promise<string[]> {
  const rows = await tables.$queryRaw<{ id: string; sealed_secret: Uint8Array }[]>`
    SELECT id, sealed_secret FROM callback_secrets
    WHERE user_id = ${user_id} AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`;
  return rows.map(({ id, sealed_secret }) =>
    open(keyRing, sealed_secret, sealedFields.callbackSecret(id)).toString("utf8"),
  );
}

async function insertSecret(tables: Tables, keyRing: KeyRing, user_id: string): Promise<string> {
  const id = newId("secret");
  const secret = `whsec_${randomBytes(secretBytes).toString("base64")}`;
  const sealed_secret = new Uint8Array(seal(keyRing, secret, sealedFields.callbackSecret(id)));
  await tables.callbackSecret.create({ data: { id, user_id, sealed_secret } });
  return secret;
}
