/** A URL of Redis; with a file, connections that are opened later follow what the file has by then. */
export type RedisAddress = string | { url: string; file: string };

export const redisAddress = (url: string, file: string | undefined): RedisAddress =>
  file === undefined ? url : { url, file };

export const urlOf = (address: RedisAddress): string => (typeof address === "string" ? address : address.url);

/** Where Redis is. `single`: one server, or a primary that one address leads to. */
export type RedisPlace =
  | { kind: "single"; url: string }
  | ({ kind: "cluster" } & Nodes)
  | ({ kind: "sentinel" } & Primary & Nodes);

/** `master`: the name under which sentinels know it. */
type Primary = { master: string; db: number; sentinelPassword: string | undefined };

type Nodes = { nodes: { host: string; port: number }[]; username?: string; password?: string; tls: boolean };

const pattern =
  /^redis(?<tls>s?)\+(?<kind>cluster|sentinel):\/\/(?:(?<user>[^@:/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^@/?#]+)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/;
const hostPattern = /^(?:\[(?<v6>[0-9A-Fa-f:]+)\]|(?<name>[^:[\]]+))(?::(?<port>\d{1,5}))?$/;

/**
 * Reads `redis://…`, `rediss://…` or a socket's path; `redis+cluster://user:password@host:port,host:port`; or
 * `redis+sentinel://user:password@host:port,host:port/master/db?sentinel_password=…`. Returns null for anything else.
 */
export function readRedisUrl(url: string): RedisPlace | null {
  if (/^(rediss?:\/)?\//.test(url)) return { kind: "single", url };
  const { tls, kind, user, password, hosts, path, query } = pattern.exec(url)?.groups ?? {};
  const nodes = readHosts(hosts ?? "", kind === "cluster" ? 6379 : 26_379);
  if (nodes === null) return null;
  const common = { nodes, tls: tls === "s", ...credentials(user, password) };
  if (kind === "cluster") return path === undefined ? { kind, ...common } : null;
  const primary = readPrimary(path ?? "", query ?? "");
  return primary && { kind: "sentinel", ...primary, ...common };
}

/** Returns null when the path names no primary. */
function readPrimary(path: string, query: string): Primary | null {
  const [, name, db = "0"] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(path) ?? [];
  if (name === undefined) return null;
  const sentinelPassword = new URLSearchParams(query).get("sentinel_password") ?? undefined;
  return { master: decode(name), db: Number(db), sentinelPassword };
}

/** True when the keys of one command must have one hash tag. */
export const isCluster = (address: RedisAddress): boolean => readRedisUrl(urlOf(address))?.kind === "cluster";

/** Returns null when one of them is no host. */
function readHosts(text: string, usualPort: number): Nodes["nodes"] | null {
  const hosts = text.split(",").map((host) => readHost(host, usualPort));
  const known = hosts.filter((host) => host !== null);
  return known.length === hosts.length ? known : null;
}

function readHost(text: string, usualPort: number): { host: string; port: number } | null {
  const { v6, name, port } = hostPattern.exec(text)?.groups ?? {};
  const host = v6 ?? name;
  const number = port === undefined ? usualPort : Number(port);
  return host === undefined || number > 65_535 ? null : { host, port: number };
}

const credentials = (user: string | undefined, password: string | undefined) => ({
  ...(user ? { username: decode(user) } : {}),
  ...(password ? { password: decode(password) } : {}),
});

/** Returns the text itself where it is not valid percent-encoding. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
