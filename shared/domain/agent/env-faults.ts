import { requestLimits } from "../run/limits.ts";
import { envNamePattern, noText, reservedEnv } from "../../schemas/agent-config.ts";
import type { FaultItem } from "../errors/validation-fault.ts";

/** What is wrong with the environment variables that stand at `place` in a body, each fault with its place. */
export function envFaults(env: Record<string, string>, place: string[]): FaultItem[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const message = envFault(name, value);
    return message ? [{ type: "value_error", loc: ["body", ...place, name], msg: `Value error, ${message}` }] : [];
  });
}

/** Why a run can't have such a variable; null: it can. */
function envFault(name: string, value: string): string | null {
  if (!envNamePattern.test(name)) return "the name must match ^[A-Za-z_][A-Za-z0-9_]*$";
  if (reservedEnv.test(name)) return "this name is reserved";
  if (noText.test(value)) return "must be well-formed text without NUL";
  const most = requestLimits.env_value_bytes;
  return Buffer.byteLength(value) > most ? `must be at most ${most} bytes` : null;
}
