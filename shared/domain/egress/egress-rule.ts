/** `host`, `*.domain` (not the domain itself) or `*`, with a port; without a port: 80 and 443. */
export const egressPattern = /^(\*|(\*\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)(:[0-9]{1,5})?$/i;

const webPorts = [80, 443];

/** True when one of the patterns allows a target. Hosts are compared as text, not by address. */
export function egressAllows(patterns: readonly string[], host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return patterns.some((pattern) => {
    const [allowedHost = "", allowedPort] = pattern.toLowerCase().split(":");
    if (allowedPort === undefined ? !webPorts.includes(port) : Number(allowedPort) !== port) return false;
    if (allowedHost === "*") return true;
    return allowedHost.startsWith("*.") ? name.endsWith(allowedHost.slice(1)) : name === allowedHost;
  });
}
