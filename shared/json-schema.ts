import { createContext, Script } from "node:vm";
import { Ajv, type ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { FaultItem } from "./validation-fault.ts";

type Schema = Record<string, unknown>;

export type JsonSchemas = {
  /** What makes a text no usable JSON Schema (draft 2020-12, or 7 where its `$schema` says so); null: it is one. */
  schemaFault(schema: Schema): string | null;
  /** What `value` breaks, at most 20 faults; each `loc` leads from the value to the place. */
  faultsOf(schema: Schema, value: unknown): FaultItem[];
};

type Validator = (value: unknown) => ErrorObject[];

const keptValidators = 200;
/** A schema's patterns may backtrack for ever, and it may refer to itself. */
const checkWithinMs = 100;
const compileWithinMs = 1_000;
/** The clock goes on while a crowded machine runs others: what doesn't come back thrice doesn't come back. */
const tries = 3;

/** Checks values by the schemas that agents' authors wrote. Compiled ones are kept, the most recently used 200. */
export function createJsonSchemas(): JsonSchemas {
  const kept = new Map<string, Validator>();
  const validatorOf = (schema: Schema): Validator => {
    const text = JSON.stringify(schema);
    const validator = kept.get(text) ?? withinTime(compileWithinMs, () => compile(schema));
    kept.delete(text);
    kept.set(text, validator);
    const [oldest] = kept.keys();
    if (kept.size > keptValidators && oldest !== undefined) kept.delete(oldest);
    return validator;
  };
  return {
    schemaFault(schema) {
      try {
        validatorOf(schema);
        return null;
      } catch (error) {
        return error instanceof Error ? error.message.slice(0, 500) : "not a JSON Schema";
      }
    },
    faultsOf(schema, value) {
      try {
        const validator = validatorOf(schema);
        return withinTime(checkWithinMs, () => validator(value))
          .slice(0, 20)
          .map(describe);
      } catch {
        const msg = `Value error, it could not be checked by its schema within ${checkWithinMs} ms`;
        return [{ type: "value_error", loc: [], msg }];
      }
    },
  };
}

function compile(schema: Schema): Validator {
  const options = {
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
    addUsedSchema: false,
  } as const;
  const draft7 = typeof schema["$schema"] === "string" && /draft-0[67]/.test(schema["$schema"]);
  const ajv = draft7 ? new Ajv(options) : new Ajv2020(options);
  const validate = ajv.compile(schema);
  if ("$async" in validate) throw new Error("an asynchronous schema can't be used");
  return (value) => (validate(value) === true ? [] : (validate.errors ?? []));
}

function describe({ instancePath, keyword, params, message }: ErrorObject): FaultItem {
  const place = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const loc = place.map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part));
  if (keyword === "required" && "missingProperty" in params)
    return { type: "missing", loc: [...loc, String(params["missingProperty"])], msg: "Field required" };
  return { type: "value_error", loc, msg: `Value error, ${message ?? "not what the schema wants"}` };
}

const script = new Script("act()");

function withinTime<T>(timeout: number, act: () => T): T {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return breakOff(timeout, act);
    } catch (error) {
      const late = error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
      if (!late || left === 0) throw error;
    }
  }
}

/** Node's own way to break off code that doesn't come back: only what a script runs has a time-out. */
function breakOff<T>(timeout: number, act: () => T): T {
  let result: { value: T } | undefined;
  script.runInContext(createContext({ act: () => (result = { value: act() }) }), { timeout });
  if (!result) throw new Error("it took too long");
  return result.value;
}
