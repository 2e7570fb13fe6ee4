import { randomBytes } from "node:crypto";
import type { KeyRing } from "../../platform/config/load-config.ts";
import { newId } from "../../platform/ids.ts";
import { open, seal } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { retireSecrets } from "../retire-secrets.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { lockRow, queryableOf } from "../prisma-transaction.ts";
import { type Owner, ownedBy } from "../owned-by.ts";

/** Standard Webhooks asks for 24 to 64 bytes. */
const secretBytes = 32;

/** The `whsec_…` secrets that sign a webhook's messages now, the newest first. */
export async function readWebhookSecrets(db: Db, keyRing: KeyRing, webhook_id: string): Promise<string[]> {
  const rows = await active.rows(db.sql, { webhook_id });
  return rows.map(({ id, sealed_secret }) =>
    open(keyRing, sealed_secret, sealedFields.webhookSecret(id)).toString("utf8"),
  );
}

const active = statement({
  name: "read-webhook-secrets",
  takes: { webhook_id: t.text },
  gives: { id: t.text, sealed_secret: t.bytea },
  text: sql`
    SELECT id, sealed_secret FROM webhook_secrets
    WHERE webhook_id = $webhook_id AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
});

/**
 * Makes a new secret and returns it. The newest two before go on signing for 24 hours, so that the receiver can follow.
 * Returns null when the owner has no such webhook.
 */
export async function rotateWebhookSecret(db: Db, keyRing: KeyRing, id: string, owner: Owner): Promise<string | null> {
  return db.prisma.$transaction(async (tx) => {
    await lockRow(tx, "webhooks", id);
    if (!(await tx.webhook.findUnique({ where: { id, ...ownedBy(owner) }, select: { id: true } }))) return null;
    await retire.count(queryableOf(tx), { webhook_id: id });
    return insertWebhookSecret(tx, keyRing, id);
  });
}

const retire = statement({
  name: "retire-webhook-secrets",
  takes: { webhook_id: t.text },
  text: retireSecrets("webhook_secrets", sql`webhook_id = $webhook_id`),
});

/** For a transaction that has locked the webhook's row. */
export async function insertWebhookSecret(
  tables: Pick<Db["prisma"], "webhookSecret">,
  keyRing: KeyRing,
  webhook_id: string,
): Promise<string> {
  const id = newId("secret");
  const secret = `whsec_${randomBytes(secretBytes).toString("base64")}`;
  const sealed_secret = new Uint8Array(seal(keyRing, secret, sealedFields.webhookSecret(id)));
  await tables.webhookSecret.create({ data: { id, webhook_id, sealed_secret } });
  return secret;
}
