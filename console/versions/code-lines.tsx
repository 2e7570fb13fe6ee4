import type { ReactElement, ReactNode } from "react";
import { formatCount } from "../ui/format.ts";
import styles from "./versions.module.css";

/** Each is an element of the page. */
const mostLines = 10_000;

/** A file's lines, with their numbers: the first 10,000. */
export const CodeLines = ({ name, lines }: { name: string; lines: readonly ReactNode[] }): ReactElement => (
  <ol className={styles.code} aria-label={name} tabIndex={0}>
    {lines.slice(0, mostLines).map((line, at) => (
      // A line has no other identity than its number.
      <li key={at}>
        <code>{line}</code>
      </li>
    ))}
    {lines.length > mostLines && (
      <li className="dim">
        <span>{formatCount(lines.length - mostLines)} more lines are not shown.</span>
      </li>
    )}
  </ol>
);
