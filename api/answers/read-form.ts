import { findJsonFault } from "../http/json-fault.ts";
import { openJson } from "../http/parse-json.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { FormField } from "./form-fields.ts";
import { nameOf, type QuestionForm } from "./question-form.ts";

/** What is wrong with fields, by their names. */
export type FormFaults = Map<string, string>;
/** A value, or nothing for a field that may stay empty. */
type Read = { value: unknown } | null;

/** Returns the answer that a filled in form gives, or what is wrong with it. Only the fields of the form are read. */
export function readForm(form: QuestionForm, sent: URLSearchParams): { response: unknown } | { faults: FormFaults } {
  const faults: FormFaults = new Map();
  if (form.verdict) {
    const verdict = sent.get("verdict");
    if (verdict !== "approve" && verdict !== "deny")
      return { faults: new Map([["verdict", "Choose one of the two."]]) };
    const reason = readField(form.reason, sent, faults);
    const response = { approved: verdict === "approve", ...(reason && { reason: reason.value }) };
    return faults.size > 0 ? { faults } : { response };
  }
  const read = readField(form.field, sent, faults);
  return faults.size > 0 ? { faults } : { response: read?.value ?? null };
}

function readField(field: FormField, sent: URLSearchParams, faults: FormFaults): Read {
  const refuse = (sentence: string): null => {
    faults.set(nameOf(field), sentence);
    return null;
  };
  if (field.kind === "group") return readGroup(field, sent, faults);
  if (field.kind === "choices") return readChoices(field, sent.getAll(nameOf(field)), refuse);
  // Forms send line breaks as two characters.
  const text = (sent.get(nameOf(field)) ?? "").replaceAll("\r\n", "\n");
  if (text.trim() === "") return field.required ? refuse("An answer is needed here.") : null;
  return readValue(field, text, refuse);
}

function readValue(field: Exclude<FormField, { kind: "group" | "choices" }>, text: string, refuse: Refuse): Read {
  if (field.kind === "text") return readText(field, text, refuse);
  if (field.kind === "choice") return optionAt(field.options, text) ?? refuse("Choose from the list.");
  return field.kind === "number" ? readNumber(field, text.trim(), refuse) : readJson(text, refuse);
}

function readChoices(field: FormField & { kind: "choices" }, places: string[], refuse: Refuse): Read {
  const chosen = places.map((at) => optionAt(field.options, at));
  if (chosen.some((one) => one === undefined)) return refuse("Choose from the list.");
  return chosen.length === 0 && !field.required ? null : { value: chosen.map((one) => one?.value) };
}

type Refuse = (sentence: string) => null;

function readText({ most }: FormField & { kind: "text" }, text: string, refuse: Refuse): Read {
  return most !== null && [...text].length > most ? refuse(`Use at most ${most} characters.`) : { value: text };
}

function readNumber({ whole, least, most }: FormField & { kind: "number" }, text: string, refuse: Refuse): Read {
  const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  if (!Number.isFinite(number)) return refuse("Enter a number, such as 12.");
  if (whole && !Number.isSafeInteger(number)) return refuse("Enter a whole number, such as 12.");
  if (least !== null && number < least) return refuse(`Enter a number of at least ${least}.`);
  return most !== null && number > most ? refuse(`Enter a number of at most ${most}.`) : { value: number };
}

function readJson(text: string, refuse: Refuse): Read {
  try {
    return { value: openJson(Buffer.from(text), "application/json").parse() };
  } catch (error) {
    const [fault] = error instanceof ValidationFault ? error.detail : [];
    if (fault?.type !== "json_invalid") return refuse("This JSON is too large or nested too deeply.");
    const { position, error: what } = findJsonFault(text);
    return refuse(`This is no JSON. ${what} (character ${position + 1}).`);
  }
}

/** Options are sent by their place in the list. */
function optionAt<T>(options: readonly T[], at: string): { value: T } | undefined {
  const place = /^\d{1,3}$/.test(at) ? Number(at) : options.length;
  return place < options.length ? { value: options[place] as T } : undefined;
}

function readGroup(field: FormField & { kind: "group" }, sent: URLSearchParams, faults: FormFaults): Read {
  // An optional group without a value is left out.
  if (!field.required && !isBegun(field, sent)) return null;
  const members = field.fields.flatMap((member) => {
    const read = readField(member, sent, faults);
    return read ? [[member.path.at(-1) ?? "", read.value] as const] : [];
  });
  return { value: Object.fromEntries(members) };
}

const isBegun = (field: FormField, sent: URLSearchParams): boolean =>
  field.kind === "group"
    ? field.fields.some((member) => isBegun(member, sent))
    : sent.getAll(nameOf(field)).some((text) => text.trim() !== "");
