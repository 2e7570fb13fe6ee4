export type CodeFile = { name: string; text: string };

type Config = Record<string, unknown>;

/** Returns the files of a config that are text, by name. A data URL is no text. */
export function filesOf({ source, files, entrypoint }: Config): CodeFile[] {
  if (typeof source === "string") return [{ name: fileOf(entrypoint), text: source }];
  return Object.entries((files ?? {}) as Record<string, string>)
    .filter(([, text]) => !text.startsWith("data:"))
    .map(([name, text]) => ({ name, text }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** `main.py:main` names the file main.py. */
const fileOf = (entrypoint: unknown): string =>
  typeof entrypoint === "string" ? (entrypoint.split(":")[0] ?? entrypoint) : "main.py";

/** Returns the config with the texts that were edited. */
export function withFiles(config: Config, files: readonly CodeFile[], edited: Record<string, string>): Config {
  if (typeof config["source"] === "string")
    return { ...config, source: edited[files[0]?.name ?? ""] ?? config["source"] };
  return { ...config, files: { ...(config["files"] as Record<string, string>), ...edited } };
}
