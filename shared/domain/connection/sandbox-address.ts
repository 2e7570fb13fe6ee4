/** Where a sandbox's programs find the gateway: their proxy, and below a connection's name the connection. */
export const gatewayPort = 3128;
export const gatewayAddress = `http://127.0.0.1:${gatewayPort}`;

/** What programs find instead of a connection's key. The gateway takes no other one from them. */
export const placeholderKey = "runfleet-gateway-adds-the-key";

/**
 * Files of a sandbox with network: the certificate of the authority under which the gateway ends the TLS of connections' hosts,
 * and the machine's certificates together with it.
 */
export const trustFiles = {
  authority: "/etc/runfleet/authority.pem",
  certificates: "/etc/runfleet/certificates.pem",
} as const;

/** The sandbox's own addresses, which need no proxy, unless one is named: then the machine's is meant. */
export const directHosts = (named: readonly string[]): string =>
  ["localhost", "127.0.0.1"].filter((host) => !named.some((one) => one.toLowerCase().split(":")[0] === host)).join(",");
