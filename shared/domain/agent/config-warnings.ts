import { type KnownKeys, unknownKeys } from "./unknown-keys.ts";

/** What the author of a config should know. */
export type ConfigWarning = { code: string; message: string };

/** A config may have many keys of its own. */
const mostWarnings = 20;

/** Warns of the keys of a config that the service doesn't read, which may be the author's own, and of what has no effect. */
export const configWarnings = (config: Record<string, unknown>, known: KnownKeys): ConfigWarning[] => [
  ...unreadKeys(config, known),
  ...unusedNetwork(config),
];

function unreadKeys(config: Record<string, unknown>, known: KnownKeys): ConfigWarning[] {
  const warnings: ConfigWarning[] = [];
  for (const { path, meant } of unknownKeys(config, known)) {
    const message = `The service doesn't read \`config.${shown(path)}\`.${meant === null ? "" : ` Did you mean \`${meant}\`?`}`;
    warnings.push({ code: "unknown_config_key", message });
    if (warnings.length === mostWarnings) break;
  }
  return warnings;
}

/** A daemon has the network of its config whatever the mode of runs is, so this is no fault. */
function unusedNetwork({ runtime_mode: mode, network }: Record<string, unknown>): ConfigWarning[] {
  if (mode !== "standard" && mode !== "isolated") return [];
  if (typeof network !== "object" || network === null) return [];
  const message = `Runs have no network: \`config.network\` is for the \`runtime_mode\` \`full\`, and for daemons. The config says \`${mode}\`.`;
  return [{ code: "network_unused", message }];
}

const shown = (path: readonly string[]): string => path.map((key) => key.slice(0, 100)).join(".");
