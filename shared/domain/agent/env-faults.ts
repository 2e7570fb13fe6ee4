import { requestLimits } from "../run/request-limits.ts";
import { envNamePattern, noText, reservedEnv } from "../../schemas/agent-config.ts";
import type { FaultItem } from "../errors/validation-fault.ts";

/** Returns the faults of the environment variables at the path `path` of a body. */
export function envFaults(env: Record<string, string>, path: string[]): FaultItem[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const message = envFault(name, value);
    return message ? [{ type: "value_error", loc: ["body", ...path, name], msg: `Value error, ${message}` }] : [];
  });
}

/** Returns why a run can't have such a variable. Null: it can. */
function envFault(name: string, value: string): string | null {
  if (!envNamePattern.test(name)) return "the name must match ^[A-Za-z_][A-Za-z0-9_]*$";
  if (reservedEnv.test(name)) return "this name is reserved";
  if (noText.test(value)) return "must be well-formed text without NUL";
  const most = requestLimits.env_value_bytes;
  return Buffer.byteLength(value) > most ? `must be at most ${most} bytes` : null;
}
