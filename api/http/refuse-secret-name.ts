import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { secretNameFault } from "../../shared/schemas/agent.ts";

/** A secret's name becomes the name of an environment variable. Throws ValidationFault. */
export function refuseSecretName(name: string): void {
  const fault = secretNameFault(name);
  if (fault) throw new ValidationFault([{ type: "value_error", loc: ["path", "name"], msg: `Value error, ${fault}` }]);
}
