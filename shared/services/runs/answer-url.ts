import type { Config } from "../../platform/config/load-config.ts";
import { signPath } from "../../platform/secrets/signed-path.ts";

/** Returns the address of the page on which a person answers a question. It is the right to answer it, so it is told with care. */
export const answerUrlOf = (
  { publicUrl, encryptionKeys }: Pick<Config, "encryptionKeys" | "publicUrl">,
  { run_id, interrupt_id }: { run_id: string; interrupt_id: string },
): string => `${publicUrl}/answer/${signPath(encryptionKeys, "answer", [run_id, interrupt_id])}`;
