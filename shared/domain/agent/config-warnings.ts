import { type KnownKeys, unknownKeys } from "./unknown-keys.ts";

/** What the author of a config should know. */
export type ConfigWarning = { code: string; message: string };

/** A config may have many keys of its own. */
const mostWarnings = 20;

/** Warns of the keys of a config that the service doesn't read. They are kept, since they may be the author's own. */
export const configWarnings = (config: Record<string, unknown>, known: KnownKeys): ConfigWarning[] =>
  unknownKeys(config, known)
    .slice(0, mostWarnings)
    .map(({ path, meant }) => ({
      code: "unknown_config_key",
      message: `The service doesn't read \`config.${shown(path)}\`.${meant === null ? "" : ` Did you mean \`${meant}\`?`}`,
    }));

const shown = (path: readonly string[]): string => path.map((key) => key.slice(0, 100)).join(".");
