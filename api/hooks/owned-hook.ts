import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import type { HookDocument } from "../../shared/domain/hook/delivery.ts";
import type { Config, KeyRing } from "../../shared/platform/config/load-config.ts";
import { open } from "../../shared/platform/secrets/seal.ts";
import { sealedFields } from "../../shared/platform/secrets/sealed-fields.ts";
import type { Db } from "../../shared/store/client.ts";
import { type ReplayableDelivery, readReplayableDelivery } from "../../shared/store/hooks/replayable-deliveries.ts";
import { type UnsealedHook, unsealHook } from "../../shared/store/hooks/unseal-hook.ts";
import type { Owner } from "../../shared/store/owned-by.ts";

type Deps = { db: Db; config: Pick<Config, "encryptionKeys"> };

/** Returns a hook of the owner's as its deliveries need it. Throws not_found. */
export async function openOwnHook({ db, config }: Deps, id: string, owner: Owner): Promise<UnsealedHook> {
  const hook = await unsealHook(db, config.encryptionKeys, id);
  if (!hook || (owner !== null && hook.user_id !== owner)) throw notFound("hook", id);
  return hook;
}

/** Returns a delivery of a hook and the request that it came with. Throws not_found, and conflict when it was not kept. */
export async function openDelivery(
  { db, config }: Deps,
  hook: UnsealedHook,
  id: string,
): Promise<{ delivery: ReplayableDelivery; document: HookDocument }> {
  const delivery = await readReplayableDelivery(db, hook.id, id);
  if (!delivery) throw notFound("delivery", id);
  if (!delivery.sealed_request)
    throw conflict("delivery_not_kept", "The delivery was filtered or a handshake, so its request was not kept.");
  return { delivery, document: readRequest(config.encryptionKeys, id, delivery.sealed_request) };
}

/** What `receive-hook.ts` has sealed. */
const readRequest = (keyRing: KeyRing, id: string, sealed: Buffer): HookDocument =>
  JSON.parse(open(keyRing, sealed, sealedFields.hookRequest(id)).toString("utf8")) as HookDocument;
