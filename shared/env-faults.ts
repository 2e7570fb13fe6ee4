import { envFault } from "./schemas/agent-config.ts";
import type { FaultItem } from "./validation-fault.ts";

/** What is wrong with a request's `env_vars`, each fault with its place. */
export function envFaults(env: Record<string, string>): FaultItem[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const message = envFault(name, value);
    return message ? fault(name, message) : [];
  });
}

const fault = (name: string, message: string): FaultItem => ({
  type: "value_error",
  loc: ["body", "env_vars", name],
  msg: `Value error, ${message}`,
});
