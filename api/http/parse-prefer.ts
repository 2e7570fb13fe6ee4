import { z } from "zod";

/** The `Prefer` header (RFC 7240). `stream`: no preference. The RFC demands that unknown and malformed preferences are ignored. */
export type Prefer = "stream" | { waitMs: number };

const maxWaitSeconds = 60;

export function parsePrefer(header: string | undefined): Prefer {
  const preferences = (header ?? "").split(/[,;]/).map((part) => part.trim().toLowerCase());
  const wait = preferences.map((part) => /^wait=(\d{1,6})$/.exec(part)?.[1]).find((seconds) => seconds !== undefined);
  if (wait !== undefined) return { waitMs: Math.min(Number(wait), maxWaitSeconds) * 1000 };
  return preferences.includes("respond-async") ? { waitMs: 0 } : "stream";
}

/** The header of operations whose answer is a run's stream, unless the client prefers its record. */
export const preferHeader = {
  prefer: z.string().optional().meta({ description: "`respond-async` or `wait=N`. Left out: the answer is a stream." }),
};

/** True when the answer is a stream or is waited for. */
export const holdsOpen = (prefer: Prefer): boolean => prefer === "stream" || prefer.waitMs > 0;
