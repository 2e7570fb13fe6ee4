import type { IncomingHttpHeaders } from "node:http";
import { canonicalHost, isLoopback } from "../../shared/domain/egress/loopback.ts";
import type { SessionCookie } from "./authenticate.ts";
import { reads } from "./foreign-request.ts";
import { isOwnOrigin } from "./own-origin.ts";

/** A browser takes a name with `__Host-` only over https, for this host alone, so no other host can set such a cookie. */
const names = { https: "__Host-runfleet_session", http: "runfleet_session" } as const;
/** A page of another origin can't send it unless a preflight request allows it with cookies, which is never the case. */
const consoleHeader = "x-runfleet-console";

type CookieRequest = { method: string; headers: IncomingHttpHeaders };

/**
 * Returns what the cookie of a session says. It counts for a page of this very origin only, whatever ALLOWED_ORIGINS says, and for
 * a write, and a read that names no page, only with a header that no form and no link can send.
 */
export function readSessionCookie({ method, headers }: CookieRequest): SessionCookie {
  const text = valueOf(headers);
  if (text === undefined) return { kind: "none" };
  const isConsole = headers[consoleHeader] === "1";
  const isRead = reads.has(method);
  // Over plain http browsers say nothing of a page that reads, but for loopback. A page of another origin names itself there.
  if (!isOwnPage(headers) && !(isRead && isConsole && !namesPage(headers)))
    return {
      kind: "uncounted",
      reason:
        "The session's cookie does not count, because the request does not say that a page of this origin sent it. Open the console itself, send the header X-Runfleet-Console: 1, or send a key.",
    };
  if (!isRead && !isConsole)
    return {
      kind: "uncounted",
      reason:
        "The session's cookie does not count for a write without the header X-Runfleet-Console: 1. Send that header, or a key.",
    };
  return { kind: "counts", text };
}

/** True when the browser says that a page of this origin sends the request. Old browsers only say which origin it is. */
function isOwnPage({ origin, host, "sec-fetch-site": site }: IncomingHttpHeaders): boolean {
  if (site !== undefined) return site === "same-origin";
  return origin !== undefined && isOwnOrigin(origin, host);
}

/** True when a page of another origin sends the request. What says nothing of a page is no browser. */
export const isForeignPage = (headers: IncomingHttpHeaders): boolean => namesPage(headers) && !isOwnPage(headers);

const namesPage = (headers: IncomingHttpHeaders): boolean =>
  headers["sec-fetch-site"] !== undefined || headers.origin !== undefined;

/** True when the browser uses https. The page's origin says it also where TLS ends at a proxy. */
export const isHttps = ({ origin, "x-forwarded-proto": proxied }: IncomingHttpHeaders): boolean =>
  origin === undefined ? proxied === "https" : origin.startsWith("https:");

function valueOf(headers: IncomingHttpHeaders): string | undefined {
  const cookies = (headers.cookie ?? "").split(";").map((cookie) => cookie.trim());
  const find = (name: string) => cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
  return find(names.https) ?? (mayBePlain(headers) ? find(names.http) : undefined);
}

/**
 * False over https: there another host below the same domain could have set the plain name. Browsers send `Sec-Fetch-Site` over
 * https, and over http to this machine only.
 */
function mayBePlain({ host, "sec-fetch-site": site }: IncomingHttpHeaders): boolean {
  const own = canonicalHost(host ?? "");
  return site === undefined || (own !== null && isLoopback(own));
}

/** The `Set-Cookie` of a new session. The cookie ends with the browser; when the session ends is decided here. */
export const sessionCookie = (text: string, isSecure: boolean): string =>
  isSecure ? `${names.https}=${text}; Secure; ${rules}` : `${names.http}=${text}; ${rules}`;

const rules = "HttpOnly; SameSite=Strict; Path=/";

/** The `Set-Cookie` that makes the browser forget its session. */
export const endedCookie = (isSecure: boolean): string => `${sessionCookie("", isSecure)}; Max-Age=0`;
