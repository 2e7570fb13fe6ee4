import type { z } from "zod";

/** Returns the fields of a body that its schema does not name, for the agent as `params`. */
export function paramsOf({ shape }: z.ZodObject, body: Record<string, unknown>): { params?: Record<string, unknown> } {
  const params = Object.fromEntries(Object.entries(body).filter(([name]) => !Object.hasOwn(shape, name)));
  return Object.keys(params).length > 0 ? { params } : {};
}
