import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import type { HookDocument } from "../../shared/domain/hook/delivery.ts";
import { fillTemplate, TemplateTooLarge } from "../../shared/domain/hook/template.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { JsonObject } from "../../shared/schemas/primitives.ts";

/** What a rule of the hook makes of a delivery can't be used. */
export const faultAt = (rule: string, sentence: string): ValidationFault =>
  new ValidationFault([{ type: "value_error", loc: ["body", rule], msg: `Value error, ${sentence}` }]);

/** Returns what a hook's map makes of a delivery. Throws ValidationFault when that is too large. */
export function fillMap(map: JsonObject, document: HookDocument): JsonObject {
  try {
    return fillTemplate(map, document, requestLimits.input_bytes) as JsonObject;
  } catch (error) {
    throw error instanceof TemplateTooLarge ? faultAt("map", error.message) : error;
  }
}
