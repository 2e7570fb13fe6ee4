import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { HookScheme } from "../../shared/schemas/hook.ts";

/** Throws ValidationFault unless exactly the scheme `hmac` says where its signature stands. */
export function checkSignature(verify: HookScheme, signature: object | null): void {
  if ((verify === "hmac") === (signature !== null)) return;
  const msg = verify === "hmac" ? "hmac needs the header of its signature" : `${verify} has a signature of its own`;
  throw new ValidationFault([{ type: "value_error", loc: ["body", "signature"], msg: `Value error, ${msg}` }]);
}
