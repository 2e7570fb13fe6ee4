import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";

/** Throws ValidationFault when the state is too long. */
export function checkState(state: string | null | undefined): void {
  const { state_bytes } = requestLimits;
  if (state == null || Buffer.byteLength(state) <= state_bytes) return;
  const msg = `Value error, must be at most ${state_bytes} bytes`;
  throw new ValidationFault([{ type: "value_error", loc: ["body", "state_snapshot"], msg }]);
}
