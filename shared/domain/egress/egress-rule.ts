/** `host`, `*.domain` (not the domain itself) or `*`, with a port; without one, those of the web. */
export const egressPattern = /^(\*|(\*\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)(:[0-9]{1,5})?$/i;

const webPorts = [80, 443];

/** Whether one of the patterns names a target. Hosts are compared as they are written, not by their addresses. */
export function egressAllows(patterns: readonly string[], host: string, port: number): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return patterns.some((pattern) => {
    const [place = "", wanted] = pattern.toLowerCase().split(":");
    if (wanted === undefined ? !webPorts.includes(port) : Number(wanted) !== port) return false;
    return place === "*" || (place.startsWith("*.") ? name.endsWith(place.slice(1)) : name === place);
  });
}
