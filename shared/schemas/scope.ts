const areas = [
  "agents",
  "runs",
  "threads",
  "daemons",
  "jobs",
  "hooks",
  "connections",
  "store",
  "notifications",
  "billing",
  "studio",
  "users",
] as const;

/** The scopes of keys. `*`: everything with the owner's own things. `admin`: everything with the things of all users. */
export const scopes = [
  "*",
  ...areas.flatMap((area) => [`${area}:read`, `${area}:write`] as const),
  "admin",
  "internal",
] as const;
export type Scope = (typeof scopes)[number];

/** True when the scopes `granted` include the scope `wanted`. */
export function covers(granted: readonly string[], wanted: Scope): boolean {
  if (granted.includes("admin") || granted.includes(wanted)) return true;
  return granted.includes("*") && wanted !== "admin" && wanted !== "internal";
}
