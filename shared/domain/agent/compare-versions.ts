/**
 * Compares two version names: numbers by size, everything else as text; a prerelease comes before its release
 * (`1.2.0-rc1` < `1.2.0` < `1.10.0`), and what follows a `+` doesn't count. Returns a negative number when `a` comes first. Version
 * names are free, so this is a convention.
 */
export function compareVersions(a: string, b: string): number {
  const [mainA = "", ...suffixA] = withoutBuild(a).split("-");
  const [mainB = "", ...suffixB] = withoutBuild(b).split("-");
  const byMain = collator.compare(mainA, mainB);
  if (byMain !== 0 || suffixA.length === 0 || suffixB.length === 0) return byMain || suffixB.length - suffixA.length;
  return collator.compare(suffixA.join("-"), suffixB.join("-"));
}

const withoutBuild = (version: string): string => version.split("+")[0] ?? "";

const collator = new Intl.Collator("en", { numeric: true });
