import type { ReactElement } from "react";
import styles from "./diff-lines.module.css";
import { type DiffLine, diffLines } from "./line-diff.ts";

type Props = { label: string; before: string; after: string };

/** What was added and removed, with the lines around it. */
export const DiffLines = ({ label, before, after }: Props): ReactElement => (
  <div role="table" aria-label={label} className={styles.diff} tabIndex={0}>
    {hunksOf(diffLines(before, after)).map((hunk) => (
      <div key={`${hunk[0]?.old} ${hunk[0]?.new}`} role="rowgroup">
        {hunk.map((line) => (
          <div role="row" key={`${line.old} ${line.new}`} data-kind={line.kind}>
            <span role="cell">{line.old}</span>
            <span role="cell">{line.new}</span>
            <span role="cell" aria-label={line.kind === "same" ? undefined : line.kind}>
              {marks[line.kind]}
            </span>
            <code role="cell">{line.text}</code>
          </div>
        ))}
      </div>
    ))}
  </div>
);

const marks = { same: "", added: "+", removed: "−" };

/** Lines of the same text that are far from any change are left out. */
const around = 3;

function hunksOf(lines: DiffLine[]): DiffLine[][] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== "same"),
  );
  const hunks: DiffLine[][] = [];
  for (const [at, line] of lines.entries()) {
    if (!near[at]) continue;
    if (!near[at - 1]) hunks.push([]);
    hunks.at(-1)?.push(line);
  }
  return hunks;
}
