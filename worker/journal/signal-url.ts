import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import { signPath } from "../../shared/platform/secrets/signed-path.ts";

type Address = { publicUrl: string; keyRing: KeyRing; run_id: string; name: string; expires_in_s: number };

/** Returns an address by which anybody who has it may send a run a signal of one name, for a time. */
export function signalUrl({ publicUrl, keyRing, run_id, name, expires_in_s }: Address): string {
  const expires_at = Math.round(Date.now() + expires_in_s * 1000);
  return `${publicUrl}/signal/${signPath(keyRing, "signal", [run_id, name, String(expires_at)])}`;
}
