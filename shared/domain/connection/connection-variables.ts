import { type ConnectionPreset, presets } from "./presets.ts";
import { gatewayAddress, placeholderKey } from "./sandbox-address.ts";

type Named = { name: string; preset: ConnectionPreset | null };

/**
 * Returns the variables by which a sandbox's programs find connections: those that the service's libraries read, and for every
 * connection `<NAME>_BASE_URL` and `<NAME>_API_KEY`. The first connection that has a variable keeps it.
 */
export function connectionVariables(connections: readonly Named[]): Record<string, string> {
  const all: Record<string, string> = {};
  for (const { name, preset } of connections) {
    const { address, key } = preset === null ? { address: [], key: [] } : presets[preset].variables;
    const own = name.toUpperCase().replaceAll("-", "_");
    for (const variable of [...address, `${own}_BASE_URL`]) all[variable] ??= `${gatewayAddress}/${name}`;
    for (const variable of [...key, `${own}_API_KEY`]) all[variable] ??= placeholderKey;
  }
  return all;
}
