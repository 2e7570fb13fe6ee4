import type { FaultItem } from "../../domain/errors/validation-fault.ts";

/** Returns a value's faults, at most 20. Each `loc` is the path from the value to the fault. */
export type Validate = (value: unknown) => FaultItem[];

/**
 * Returns a function that compiles JSON Schemas of draft 2020-12, or of draft 7 where their `$schema` says so. A compiler keeps
 * some memory for each schema, so it should be replaced after some hundred. `trusted`: the schemas were compiled before by a
 * compiler that checks them. The function throws for a schema that can't be used.
 */
export function createCompiler(options: { trusted: boolean }): (schema: Record<string, unknown>) => Validate;
