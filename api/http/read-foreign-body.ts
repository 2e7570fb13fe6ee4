import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { openJson } from "./parse-json.ts";

const json = "application/json";

/** Reads a body that somebody sends who doesn't know this service, by its type. Throws ValidationFault for one that can't be read.
 * A form's only field `payload` is JSON: GitHub's forms and Slack's interactive messages. Text that is no JSON is a text.
 */
export function readForeignBody(bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return null;
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
    const fields = new URLSearchParams(fewFields(decode(bytes)));
    const names = [...fields.keys()];
    if (names.length === 1 && names[0] === "payload") return parse(Buffer.from(fields.get("payload") ?? ""));
    return Object.fromEntries(fields);
  }
  if (/^application\/(?:[^/\s;]+\+)?json\b/i.test(type) || /^\s*[[{]/.test(bytes.subarray(0, 64).toString("latin1")))
    return parse(bytes);
  return decode(bytes);
}

const mostFields = 1_000;

function fewFields(form: string): string {
  let [fields, at] = [1, form.indexOf("&")];
  for (; at !== -1 && fields <= mostFields; at = form.indexOf("&", at + 1)) fields += 1;
  if (fields <= mostFields) return form;
  throw new ValidationFault([
    { type: "value_error", loc: ["body"], msg: `Value error, the form has more than ${mostFields} fields` },
  ]);
}

const parse = (bytes: Buffer): unknown => openJson(bytes, json).parse();

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ValidationFault([{ type: "value_error", loc: ["body"], msg: "Value error, the body is not UTF-8" }]);
  }
}
