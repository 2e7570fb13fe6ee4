import { randomBytes } from "node:crypto";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { HookScheme } from "../../shared/schemas/hook.ts";

/** Standard Webhooks asks for 24 to 64 bytes. */
const secretBytes = 32;

/** A hook's secret; `made`: by the service, so that its user must be told. Null: the sender's secret is to follow. */
export type ChosenSecret = { text: string; made: boolean } | null;

/** Returns what the user is told: a secret that the service has made, this once. */
export const shownSecret = (chosen: ChosenSecret): string | null => (chosen?.made ? chosen.text : null);

/**
 * Returns the secret that a user gives a hook, or a new one for a sender that takes one. Throws ValidationFault for a secret that
 * the scheme can't have.
 */
export function chooseSecret(verify: HookScheme, given: string | null | undefined): ChosenSecret {
  if (given == null) {
    if (verify === "stripe" || verify === "slack" || verify === "none") return null;
    const bytes = randomBytes(secretBytes);
    return { text: verify === "standard" ? `whsec_${bytes.toString("base64")}` : bytes.toString("hex"), made: true };
  }
  if (verify === "none") throw faultOf("a hook that verifies nothing has no secret");
  if (verify === "standard" && !isStandardSecret(given))
    throw faultOf("must be whsec_ and the base64 of 16 to 64 bytes, as Standard Webhooks has it");
  return { text: given, made: false };
}

function isStandardSecret(secret: string): boolean {
  const text = secret.replace(/^whsec_/, "");
  const bytes = Buffer.from(text, "base64");
  return bytes.length >= 16 && bytes.length <= 64 && bytes.toString("base64") === text;
}

const faultOf = (sentence: string): ValidationFault =>
  new ValidationFault([{ type: "value_error", loc: ["body", "secret"], msg: `Value error, ${sentence}` }]);
