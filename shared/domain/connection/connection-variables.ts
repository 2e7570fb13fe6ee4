import { type ConnectionPreset, presets } from "./presets.ts";
import { directHosts, gatewayAddress, placeholderKey, trustFiles } from "./sandbox-address.ts";

type Named = { name: string; preset: ConnectionPreset | null; base_url: string };

/** By which TLS libraries find the certificates that they trust. Each file takes the place of the library's own. */
const trustVariables = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "AWS_CA_BUNDLE"];

/**
 * Returns the variables by which a sandbox's programs find connections: those that the service's libraries read, for every
 * connection `<NAME>_BASE_URL` and `<NAME>_API_KEY`, and what a call by the service's own name needs. The first connection that
 * has a variable keeps it. `allow`: the other hosts that the agent may reach.
 */
export function connectionVariables(
  connections: readonly Named[],
  allow: readonly string[] = [],
): Record<string, string> {
  const all: Record<string, string> = {};
  for (const { name, preset } of connections) {
    const { address, key } = preset === null ? { address: [], key: [] } : presets[preset].variables;
    const own = name.toUpperCase().replaceAll("-", "_");
    for (const variable of [...address, `${own}_BASE_URL`]) all[variable] ??= `${gatewayAddress}/${name}`;
    for (const variable of [...key, `${own}_API_KEY`]) all[variable] ??= placeholderKey;
  }
  if (connections.length === 0) return all;
  for (const variable of trustVariables) all[variable] ??= trustFiles.certificates;
  const direct = directHosts([...allow, ...connections.map(({ base_url }) => new URL(base_url).hostname)]);
  return { ...all, NO_PROXY: direct, no_proxy: direct };
}
