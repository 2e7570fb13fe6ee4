import type { KeyRing } from "../../platform/config/load-config.ts";
import { open, seal } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import { version } from "../../platform/version.ts";
import type { ClaimedRun } from "../../store/runs/queue/claimed-run.ts";

/** What the worker gets of a run that was granted to it. `lease_until`: by the clock of Postgres, epoch ms. */
export type SealedGrant = { run: ClaimedRun; lease_until: number };

/** A larger run is read from Postgres. */
const mostCharacters = 64 * 1024;

/** Returns text for Redis, which sees no input and no secret; null for a large run. */
export function sealGrant(keyRing: KeyRing, grant: SealedGrant): string | null {
  const { sealed_env, sealed_files, ...run } = grant.run;
  if ((sealed_files?.length ?? 0) > mostCharacters) return null;
  const sealed = { sealed_env: sealed_env?.toString("base64"), sealed_files: sealed_files?.toString("base64") };
  const text = JSON.stringify({ version, run, ...sealed, lease_until: grant.lease_until });
  if (text.length > mostCharacters) return null;
  return seal(keyRing, text, sealedFields.grantedRun(run.id)).toString("base64");
}

/** Opens a sealed grant; null: it is of another release, or its key is unknown here. Postgres has the run. */
export function openGrant(keyRing: KeyRing, runId: string, sealed: string): SealedGrant | null {
  try {
    const text = open(keyRing, Buffer.from(sealed, "base64"), sealedFields.grantedRun(runId)).toString("utf8");
    // Our own API wrote it: nobody else has the key.
    const { version: of, run, sealed_env, sealed_files, lease_until } = JSON.parse(text) as SealedGrantPayload;
    if (of !== version) return null;
    return { run: { ...run, sealed_env: bytes(sealed_env), sealed_files: bytes(sealed_files) }, lease_until };
  } catch {
    return null;
  }
}

type SealedGrantPayload = {
  version: string;
  run: Omit<ClaimedRun, "sealed_env" | "sealed_files">;
  sealed_env?: string;
  sealed_files?: string;
  lease_until: number;
};

const bytes = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text, "base64"));
