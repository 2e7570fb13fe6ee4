import { ConflictError, InvalidError, type Run, type RunHandle } from "../sdk/ts/index.ts";
import { askLine } from "./ask.ts";
import { exitCodes } from "./exit-codes.ts";
import { showRun } from "./show-run.ts";
import type { Terminal } from "./terminal.ts";

type Question = Run["interrupts"][number];
type Schema = {
  type?: string;
  title?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
};

/** Shows a run. Where a person sits at the terminal, the run's questions are asked there, and the run is shown to its end. */
export async function showAndAnswer(terminal: Terminal, run: RunHandle): Promise<number> {
  for (;;) {
    const exit = await showRun(terminal, run);
    if (exit !== exitCodes.interrupted || !terminal.canAsk) return exit;
    const [question] = (await run.get()).interrupts;
    if (question && !(await answer(terminal, run, question))) return exit;
  }
}

/** Returns false when the question stays without an answer. What the service refuses is asked again. */
async function answer(terminal: Terminal, run: RunHandle, { id, response_schema }: Question): Promise<boolean> {
  for (;;) {
    const given = await readAnswer(terminal, response_schema ?? {});
    if (given === undefined) return false;
    try {
      await run.resume(given, id);
      return true;
    } catch (error) {
      if (error instanceof ConflictError) {
        terminal.say(`  ${error.message}`);
        // Somebody else has answered: the run is shown on. Of an expired question nothing follows yet.
        return !(await run.get()).interrupts.some((one) => one.id === id);
      }
      if (!(error instanceof InvalidError)) throw error;
      for (const { place, message } of error.issues) terminal.say(`  ${place.replace(/^response\.?/, "")}: ${message}`);
    }
  }
}

/** Asks for a value: for each field of an object one after the other. Returns undefined when the input ends before. */
async function readAnswer(terminal: Terminal, schema: Schema): Promise<unknown> {
  if (!schema.properties) return readValue(terminal, "", schema, true);
  const fields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties)) {
    const isNeeded = schema.required?.includes(name) ?? false;
    const value = await readValue(terminal, field.title ?? name, field, isNeeded);
    if (value === undefined) return undefined;
    if (value !== null) fields[name] = value;
  }
  return fields;
}

/** Null: nothing was entered where nothing is needed. */
async function readValue(terminal: Terminal, name: string, schema: Schema, isNeeded: boolean): Promise<unknown> {
  const allowed = hintOf(schema);
  const parts = [name, allowed && `(${allowed})`, isNeeded ? "" : "(may be left out)"].filter((part) => part !== "");
  for (;;) {
    const text = await askLine(parts.length === 0 ? "> " : `  ${parts.join(" ")}: `);
    if (text === null) return undefined;
    if (text === "" && !isNeeded) return null;
    const value = read(text, schema);
    if (value !== undefined) return value;
    terminal.say(`  '${text}' is not ${allowed === "" ? "JSON" : `one of ${allowed}`}.`);
  }
}

/** Returns what may be entered; empty for any text. */
const hintOf = (schema: Schema): string => schema.enum?.map(String).join(", ") ?? hints[schema.type ?? ""] ?? "";

const hints: Record<string, string> = {
  boolean: "y, n",
  integer: "a number",
  number: "a number",
  object: "JSON",
  array: "JSON",
};
const truths: Record<string, boolean> = { y: true, yes: true, true: true, n: false, no: false, false: false };

/** Returns undefined for a text that the schema's type has no value of. */
function read(text: string, { type, enum: allowed }: Schema): unknown {
  if (allowed) return allowed.find((one) => String(one) === text);
  switch (type) {
    case undefined:
    case "string":
      return text;
    case "boolean":
      return truths[text.toLowerCase()];
    case "integer":
    case "number":
      return text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
    default:
      return readJson(text);
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
