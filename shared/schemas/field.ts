import { z } from "zod";

/** One item of a 422, in pydantic's words. `at` is the path from the field to its faulty part. */
export type Refusal = {
  type: string;
  msg: string;
  ctx?: Record<string, unknown>;
  at?: readonly (string | number)[];
};

/** What a reader returns instead of a value: all faults that it found. */
export class Refused {
  readonly refusals: readonly Refusal[];
  constructor(refusals: readonly Refusal[]) {
    this.refusals = refusals;
  }
}

export const refuse = (type: string, msg: string, ctx?: Record<string, unknown>): Refused =>
  new Refused([{ type, msg, ...(ctx ? { ctx } : {}) }]);

/** Returns what a field has refused, as another field that reads it may refuse it. */
export const toRefusal = ({ message, ...issue }: z.core.$ZodIssue): Refusal => {
  const type: unknown = issue.code === "custom" ? issue.params?.["type"] : undefined;
  const ctx = issue.code === "custom" ? (issue.params?.["ctx"] as Refusal["ctx"]) : undefined;
  return { type: typeof type === "string" ? type : "value_error", msg: message, ...(ctx && { ctx }) };
};

export type Field<T> = z.ZodPipe<z.ZodUnknown, z.ZodTransform<T, unknown>>;

/**
 * Returns a schema whose faults have pydantic's words. An absent value is `missing`, unless `.optional()`, `.nullish()` or
 * `.default()` accepts it first. `json` is the JSON Schema for OpenAPI, since zod can't derive it from `read`.
 */
export function field<T>(read: (value: unknown) => T | Refused, json: Record<string, unknown>): Field<T> {
  return z
    .unknown()
    .transform((value, context): T => {
      const result = value === undefined ? refuse("missing", "Field required") : read(value);
      if (!(result instanceof Refused)) return result;
      for (const { type, msg, ctx, at = [] } of result.refusals)
        context.addIssue({ code: "custom", message: msg, params: { type, ctx }, path: [...at] });
      return z.NEVER;
    })
    .meta(json);
}
