import { randomBytes } from "node:crypto";
import type { KeyRing } from "../../platform/config/load-config.ts";
import { newId } from "../../platform/ids.ts";
import { open, seal } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import type { Db, Queryable } from "../client.ts";
import { t } from "../columns.ts";
import { retireSecrets } from "../retire-secrets.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { inTransaction } from "../in-transaction.ts";
import { lockUser } from "./lock-user.ts";

/** Standard Webhooks asks for 24 to 64 bytes. */
const secretBytes = 32;

/** The `whsec_…` secrets that sign a user's callbacks now, the newest first. A user who has none gets the first one. */
export async function readSigningSecrets(db: Db, keyRing: KeyRing, user_id: string): Promise<string[]> {
  const active = await readActive(db.sql, keyRing, user_id);
  if (active.length > 0) return active;
  return inTransaction(db, async (client) => {
    await lockUser(client, user_id);
    const others = await readActive(client, keyRing, user_id);
    return others.length > 0 ? others : [await insertSecret(client, keyRing, user_id)];
  });
}

/** Makes a new secret and returns it. The newest two before go on signing for 24 hours, so that receivers can follow. */
export async function rotateSigningSecret(db: Db, keyRing: KeyRing, user_id: string): Promise<string> {
  return inTransaction(db, async (client) => {
    await lockUser(client, user_id);
    await retire.count(client, { user_id });
    return insertSecret(client, keyRing, user_id);
  });
}

const retire = statement({
  name: "retire-signing-secrets",
  takes: { user_id: t.text },
  text: retireSecrets("callback_secrets", sql`user_id = $user_id`),
});

async function readActive(client: Queryable, keyRing: KeyRing, user_id: string): Promise<string[]> {
  const rows = await active.rows(client, { user_id });
  return rows.map(({ id, sealed_secret }) =>
    open(keyRing, sealed_secret, sealedFields.callbackSecret(id)).toString("utf8"),
  );
}

const active = statement({
  name: "read-signing-secrets",
  takes: { user_id: t.text },
  gives: { id: t.text, sealed_secret: t.bytea },
  text: sql`
    SELECT id, sealed_secret FROM callback_secrets
    WHERE user_id = $user_id AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
});

async function insertSecret(client: Queryable, keyRing: KeyRing, user_id: string): Promise<string> {
  const id = newId("secret");
  const secret = `whsec_${randomBytes(secretBytes).toString("base64")}`;
  const sealed_secret = seal(keyRing, secret, sealedFields.callbackSecret(id));
  await insert.count(client, { id, user_id, sealed_secret });
  return secret;
}

const insert = statement({
  name: "insert-signing-secret",
  takes: { id: t.text, user_id: t.text, sealed_secret: t.bytea },
  text: sql`INSERT INTO callback_secrets (id, user_id, sealed_secret) VALUES ($id, $user_id, $sealed_secret)`,
});
