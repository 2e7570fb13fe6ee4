import ipaddr from "ipaddr.js";
import { parseUrl } from "../../domain/egress/parse-url.ts";

const longestUrl = 2048;
const longestHost = 253;
/** All global IPv6 unicast addresses (RFC 4291 §2.4). IPv4-compatible forms such as ::127.0.0.1 are not in this range. */
const globalV6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** Azure's metadata and control address has a public number. Those of other clouds are link-local, CGNAT or ULA. */
const azureMetadata = "168.63.129.16";

/** True for anything but a public unicast address, unless it is in one of `allowCidrs`. */
export function isForbiddenAddress(ip: string, allowCidrs: string[]): boolean {
  if (!ipaddr.isValid(ip)) return true;
  const address = ipaddr.parse(ip);
  if (isAllowed(address, allowCidrs) || isAllowed(ipaddr.process(ip), allowCidrs)) return false;
  if (address.range() !== "unicast" || address.toString() === azureMetadata) return true;
  return address instanceof ipaddr.IPv6 && !address.match(globalV6);
}

/**
 * Checks a target before anything is sent. A literal address is checked here, in the form that the URL parser normalizes it to
 * (`0x7f.1` → 127.0.0.1); a name's addresses are checked when the name is looked up. `fault` may be shown to the caller.
 */
export function checkTargetUrl(url: string, allowCidrs: string[]): { url: URL } | { fault: string } {
  if (url.length > longestUrl) return { fault: `must not be longer than ${longestUrl} characters` };
  const target = parseUrl(url);
  if (!target) return { fault: "must be an absolute URL" };
  if (target.protocol !== "http:" && target.protocol !== "https:") return { fault: "must be an http or https URL" };
  if (target.port === "0") return { fault: "must not name port 0" };
  if (target.username || target.password) return { fault: "must not hold a user name or a password" };
  const host = hostOf(target);
  if (host.length > longestHost) return { fault: `must not have a host name longer than ${longestHost} characters` };
  if (isForbiddenHost(host, allowCidrs)) return { fault: "must not point to a private or reserved address" };
  return { url: target };
}

/** Returns the host: IPv6 without brackets, a name without the root's dot. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$|\.$/g, "");
}

function isForbiddenHost(host: string, allowCidrs: string[]): boolean {
  return host === "" || (ipaddr.isValid(host) && isForbiddenAddress(host, allowCidrs));
}

function isAllowed(address: ipaddr.IPv4 | ipaddr.IPv6, allowCidrs: string[]): boolean {
  return allowCidrs.some((cidr) => {
    const [network, bits] = ipaddr.parseCIDR(cidr);
    return network.kind() === address.kind() && address.match([network, bits]);
  });
}
