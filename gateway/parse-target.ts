import { parseUrl } from "../shared/domain/egress/parse-url.ts";

/** A host (IPv6 without brackets) and a port. */
export type Target = { host: string; port: number };

const authority = /^(\[[0-9a-f:.]{2,45}\]|[^\s:@/?#%\\[\]]{1,253}):([0-9]{1,5})$/i;

/** Returns the target of a CONNECT request, which must be exactly `host:port`; null for anything else. */
export function parseAuthority(text: string): Target | null {
  return authority.test(text) ? (parseHttpUrl(`http://${text}`)?.target ?? null) : null;
}

/** Returns the absolute http URL of a proxied request, and its target; null for anything else. */
export function parseHttpUrl(text: string): { target: Target; url: URL } | null {
  const url = /^http:\/\//i.test(text) ? parseUrl(text) : null;
  if (!url) return null;
  const port = url.port === "" ? 80 : Number(url.port);
  if (url.hostname === "" || port === 0 || url.username !== "" || url.password !== "") return null;
  return { target: { host: url.hostname.replace(/^\[|\]$/g, ""), port }, url };
}
