type Config = Record<string, unknown>;
export type Difference = { added: string[]; removed: string[]; changed: string[]; config: string[] };

/** Returns what another config would change: files, and keys beside them. */
export function compareConfig(before: Config, after: Config): Difference {
  const [old, fresh] = [filesOf(before), filesOf(after)];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => key !== "files");
  return {
    added: Object.keys(fresh).filter((name) => !Object.hasOwn(old, name)),
    removed: Object.keys(old).filter((name) => !Object.hasOwn(fresh, name)),
    changed: Object.keys(fresh).filter((name) => Object.hasOwn(old, name) && old[name] !== fresh[name]),
    config: keys.filter((key) => canonical(before[key]) !== canonical(after[key])),
  };
}

const filesOf = (config: Config): Record<string, unknown> => (config["files"] ?? {}) as Record<string, unknown>;

/** Returns JSON that is the same whatever order keys were written in. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  ) ?? "";

/** Returns a line for each difference. */
export const linesOf = ({ added, removed, changed, config }: Difference): string[] => [
  ...added.map((name) => `+ ${name}`),
  ...removed.map((name) => `- ${name}`),
  ...changed.map((name) => `~ ${name}`),
  ...config.map((key) => `~ config.${key}`),
];
