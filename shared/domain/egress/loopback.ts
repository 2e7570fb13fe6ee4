/**
 * Returns the host of a `Host` header or of a configured address in the form in which hosts are compared: lower case, without port,
 * brackets and trailing dot. Null: the text is no host.
 */
export function canonicalHost(text: string): string | null {
  const bare = /^[0-9a-f:]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text) ? `[${text}]` : text;
  if (!/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{0,5})?$/i.test(bare) || !URL.canParse(`http://${bare}`)) return null;
  const host = new URL(`http://${bare}`).hostname.replace(/^\[|\]$|\.$/g, "");
  return host === "" ? null : host;
}

/**
 * True for a host that always means this machine: `localhost` and names below it (RFC 6761 §6.3),
 * 127.0.0.0/8, ::1 and their IPv4-mapped forms. `host` comes from `canonicalHost`.
 */
export function isLoopback(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost") || host === "::1") return true;
  // The URL parser writes ::ffff:127.0.0.1 as ::ffff:7f00:1.
  return /^127(\.\d{1,3}){3}$/.test(host) || /^::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$/.test(host);
}
