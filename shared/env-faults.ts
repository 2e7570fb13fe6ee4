import { requestLimits } from "./run/limits.ts";
import type { FaultItem } from "./validation-fault.ts";

const envName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** Names that would change what runs, or how, rather than tell it something. */
const reservedEnv =
  /^(LD_.*|DYLD_.*|PYTHON.*|PATH|HOME|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|NODE_OPTIONS|NODE_PATH|GCONV_PATH|RUNFLEET_.*)$/;

/** What is wrong with a request's `env_vars`, each fault with its place. */
export function envFaults(env: Record<string, string>): FaultItem[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!envName.test(name)) return fault(name, "the name must match ^[A-Za-z_][A-Za-z0-9_]*$");
    if (reservedEnv.test(name)) return fault(name, "this name is reserved");
    const tooLong = Buffer.byteLength(value) > requestLimits.env_value_bytes;
    return tooLong ? fault(name, `must be at most ${requestLimits.env_value_bytes} bytes`) : [];
  });
}

const fault = (name: string, message: string): FaultItem => ({
  type: "value_error",
  loc: ["body", "env_vars", name],
  msg: `Value error, ${message}`,
});
