import { checkTargetUrl } from "../../shared/platform/net/address-guard.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";

/** Throws ValidationFault for a URL to which the service does not send requests. */
export function checkUrl(url: string, allowCidrs: string[]): void {
  const target = checkTargetUrl(url, allowCidrs);
  if ("fault" in target)
    throw new ValidationFault([{ type: "value_error", loc: ["body", "url"], msg: `Value error, ${target.fault}` }]);
}
