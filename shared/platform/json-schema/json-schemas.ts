import { createCompiler, type Validate } from "./compile-schema.mjs";
import { isHarmless, weigh } from "./is-harmless.ts";
import { type FaultItem, uncheckedMessage } from "../../domain/errors/validation-fault.ts";
import { openThreads, type Refusal } from "../worker-threads/open-threads.ts";

type Schema = Record<string, unknown>;

/** Why there was no time for a check. A machine that is busy does this to sound schemas and values, too. `mayPass`: within seconds. */
export type Unchecked = { unchecked: string; mayPass: boolean };

/**
 * Checks values by schemas that agents' authors wrote. `owner`: the schema's user, for fairness among users. `isRepeat`: the same was
 * asked before. When it is late once more, that doesn't count against the owner again.
 */
export type JsonSchemas = {
  /** Returns why a schema can't be used (draft 2020-12, or 7 where its `$schema` says so); null when it can. */
  schemaFault(owner: string, schema: Schema, isRepeat?: boolean): Promise<string | Unchecked | null>;
  /** Returns the faults of `value`, at most 20. Each `loc` is the path from the value to the fault. */
  faultsOf(owner: string, schema: Schema, value: unknown, isRepeat?: boolean): Promise<FaultItem[] | Unchecked>;
  close(): Promise<void>;
};

/** A schema that was used before. */
type Known = {
  isHarmless: boolean;
  /** True when a thread has compiled the schema. */
  isProven: boolean;
  weight: number;
  validate: Validate | null;
};

const mostKnown = 500;
const longestSchemaBytes = 256 * 1024;
/** The largest weight of a schema that is compiled in this thread. Such a schema takes some 5 ms. */
const heaviestSchema = 200;
const compileEveryMs = 200;
/** The largest weight of a schema times that of a value. Such a check takes some 5 ms when every part of the value is wrong. */
const heaviestCheck = 50_000;

const deadlineMs = 500;
const queueLimits = { waiting: 64, late: 3, windowMs: 60_000 } as const;

/** A schema and a value to check, as JSON texts. Without a value the schema is only compiled. */
type Question = { schema: string; value: string | null };
/** `error`: the schema can't be used. */
type SchemaAnswer = { faults: FaultItem[] } | { error: string };

/** A pattern may backtrack for years, and a schema may be circular. */
const openSchemaThreads = () =>
  openThreads<Question, SchemaAnswer>({
    program: new URL("schema-thread.mjs", import.meta.url),
    count: 2,
    deadlineMs,
    queueLimits,
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });

/**
 * A harmless schema that was used before is applied to small values in this thread, which is faster than asking another one.
 * All other work is done in threads that can be ended.
 */
export function createJsonSchemas(): JsonSchemas {
  const threads = openSchemaThreads();
  const known = new Map<string, Known>();
  let compiledAt = -Infinity;

  function find(text: string, schema: Schema): Known {
    const found = known.get(text) ?? describe(schema);
    known.delete(text);
    known.set(text, found);
    const [oldest] = known.keys();
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
    return found;
  }

  /** Returns the schema's validator if it may be used in this thread; null otherwise. */
  function validatorHere(found: Known, schema: Schema): Validate | null {
    if (found.validate || !found.isProven || !found.isHarmless || found.weight > heaviestSchema) return found.validate;
    const now = performance.now();
    // New schemas in quick succession are left to the threads.
    if (now - compiledAt < compileEveryMs) return null;
    compiledAt = now;
    found.validate = createCompiler({ trusted: true })(schema);
    return found.validate;
  }

  return {
    async schemaFault(owner, schema, isRepeat = false) {
      const text = JSON.stringify(schema);
      if (Buffer.byteLength(text) > longestSchemaBytes) return `it is longer than ${longestSchemaBytes} bytes`;
      const found = find(text, schema);
      if (found.isProven) return null;
      const answer = await threads.ask(owner, { schema: text, value: null }, isRepeat);
      found.isProven = "faults" in answer;
      if ("refused" in answer) return uncheckedFor(answer.refused);
      return "error" in answer ? answer.error : null;
    },
    async faultsOf(owner, schema, value, isRepeat = false) {
      const text = JSON.stringify(schema);
      const found = find(text, schema);
      const most = heaviestCheck / found.weight;
      const validate = weigh(value, most) <= most ? validatorHere(found, schema) : null;
      if (validate) return validate(value);
      const answer = await threads.ask(owner, { schema: text, value: JSON.stringify(value ?? null) }, isRepeat);
      found.isProven ||= "faults" in answer;
      if ("faults" in answer) return answer.faults;
      if ("refused" in answer) return uncheckedFor(answer.refused);
      return [{ type: "value_error", loc: [], msg: uncheckedMessage(answer.error) }];
    },
    close: () => threads.close(),
  };
}

function describe(schema: Schema): Known {
  return { isHarmless: isHarmless(schema), isProven: false, weight: weigh(schema, heaviestSchema), validate: null };
}

/** An owner whose schemas were slow is refused for a minute. */
const uncheckedFor = (refused: Refusal["refused"]): Unchecked => ({
  unchecked: whyRefused(refused),
  mayPass: refused !== "slow",
});

function whyRefused(refused: Refusal["refused"]): string {
  const { late, windowMs, waiting } = queueLimits;
  switch (refused) {
    case "late":
      return `it took longer than ${deadlineMs} ms`;
    case "slow":
      return `schemas of this owner took longer than ${deadlineMs} ms ${late} times within ${windowMs / 1000} s; make their patterns simpler, or try again later`;
    case "busy":
      return `${waiting} checks by schemas of this owner are waiting already; try again later`;
  }
}
