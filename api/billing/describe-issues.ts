import type { z } from "zod";

/** Returns the places of a fault and what is wrong there; at most 1,000 characters. */
export function describeIssues({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => `${path.join(".")}: ${message}`)
    .join("; ")
    .slice(0, 1_000);
}
