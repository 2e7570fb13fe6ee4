const name = "[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?";
const version = "(?:~=|===?|!=|<=?|>=?) ?[A-Za-z0-9][A-Za-z0-9.*+!_-]*";
const versions = `${version}(?: ?, ?${version})*`;
const extras = `\\[ ?${name}(?: ?, ?${name})* ?\\]`;
const marker = "[A-Za-z0-9_.'\"<>=!~(), *+-]+";
/**
 * PEP 508 without direct references (`name @ url`), in ASCII on one line. An option, path or URL does not match. Several blanks in a
 * row must be replaced by one before, because the pattern would otherwise take polynomial time.
 */
const pattern = new RegExp(`^ ?(${name}) ?(${extras})? ?(${versions}|\\( ?${versions} ?\\))? ?(?:;${marker})?$`);
const parse = (text: string): RegExpExecArray | null => pattern.exec(text.replaceAll(/ +/g, " "));

/** The limits of a list of requirements. */
export const requirementLimits = { count: 500, length: 256 } as const;

/** Returns the first fault of a list of requirements and its index. Null: the list can be installed. */
export function requirementsFault(requirements: readonly string[]): { index: number; message: string } | null {
  const { count, length } = requirementLimits;
  if (requirements.length > count) return { index: count, message: `at most ${count} requirements are allowed` };
  const index = requirements.findIndex((one) => one.length > length || parse(one) === null);
  if (index < 0) return null;
  const shown = JSON.stringify((requirements[index] ?? "").slice(0, 80));
  return { index, message: `${shown} is no requirement like 'name' or 'name[extra]>=1.2,<2'` };
}

/**
 * Returns the same form for all lists that mean the same to the installer: names normalised by PEP 503, no blanks outside of
 * markers, sorted, without duplicates. The requirements must have passed `requirementsFault`.
 */
export function normalizeRequirements(requirements: readonly string[]): string[] {
  return [...new Set(requirements.map(normalize))].toSorted();
}

function normalize(requirement: string): string {
  const [, given = "", extra = "", wanted = ""] = parse(requirement) ?? [];
  const semicolon = requirement.indexOf(";");
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_.]+/g, "-");
  const names = extra
    .replaceAll(/[[\] ]/g, "")
    .split(",")
    .filter(Boolean)
    .map(plain)
    .toSorted();
  const tail = semicolon < 0 ? "" : `;${requirement.slice(semicolon + 1).trim()}`;
  return `${plain(given)}${names.length > 0 ? `[${names.join(",")}]` : ""}${wanted.replaceAll(/[ ()]/g, "")}${tail}`;
}
