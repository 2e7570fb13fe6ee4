import type { FaultItem } from "../../domain/errors/validation-fault.ts";

/** Returns what a value breaks, at most 20 faults; each `loc` leads from the value to the place. */
export type Validate = (value: unknown) => FaultItem[];

/**
 * Compiles JSON Schemas of draft 2020-12, or 7 where their `$schema` says so. A compiler keeps something of each schema, so
 * it is to be replaced after some hundred. `trusted`: the schemas were compiled before by one that checks them.
 * The compile throws for what is no usable schema.
 */
export function createCompiler(options: { trusted: boolean }): (schema: Record<string, unknown>) => Validate;
