/** Seconds that a Retry-After header asks for: a number of them, or a date (RFC 9110 §10.2.3). Null: nothing legible. */
export function retryAfterSeconds(header: string | null, now: Date): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000);
}
