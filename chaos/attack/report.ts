import type { Verdict } from "./run-attack.ts";

/** Returns a row of a Markdown table. */
export function formatRow({ name, class: found, kind, level, faults, summary }: Verdict): string {
  const log = faults.length > 0 ? `${faults.join("; ")} — ${summary}` : summary;
  const cells = [faults.length > 0 ? "**FAILED**" : "held", name, found, kind, level, log];
  return `| ${cells.map((cell) => cell.replaceAll("|", "/").replaceAll("\n", " ")).join(" | ")} |`;
}

export const tableHead = "| | attack | class | kind | level, started by | what happened |\n|---|---|---|---|---|---|";

/** Returns a table of how many attacks held, for each level and kind. */
export function formatSummary(verdicts: readonly Verdict[]): string {
  const counts = new Map<string, { held: number; failed: number }>();
  for (const { level, kind, faults } of verdicts) {
    const key = `level ${level}, ${kind}`;
    const count = counts.get(key) ?? { held: 0, failed: 0 };
    if (faults.length > 0) count.failed += 1;
    else count.held += 1;
    counts.set(key, count);
  }
  const rows = [...counts].map(([key, { held, failed }]) => `| ${key} | ${held} | ${failed} |`);
  return ["| | held | failed |", "|---|--:|--:|", ...rows].join("\n");
}
