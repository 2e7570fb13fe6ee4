/** True when an origin and a `Host` header name the same host and port. The scheme is not compared: TLS may end at a proxy. */
export function isOwnOrigin(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin)) return false;
  const page = new URL(origin);
  const own = `${page.protocol}//${host}`;
  return page.origin === origin && URL.canParse(own) && new URL(own).host === page.host;
}
