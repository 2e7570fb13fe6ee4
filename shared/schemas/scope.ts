const areas = ["agents", "runs", "threads", "daemons", "jobs", "notifications", "billing", "studio", "users"] as const;

/** What a key may be allowed to do. `*`: all of an owner's own things. `admin`: everything, of everybody. */
export const scopes = [
  "*",
  ...areas.flatMap((area) => [`${area}:read`, `${area}:write`] as const),
  "admin",
  "internal",
] as const;
export type Scope = (typeof scopes)[number];

/** Whether a caller who was granted `granted` may do what needs `wanted`. */
export function covers(granted: readonly string[], wanted: Scope): boolean {
  if (granted.includes("admin") || granted.includes(wanted)) return true;
  return granted.includes("*") && wanted !== "admin" && wanted !== "internal";
}
