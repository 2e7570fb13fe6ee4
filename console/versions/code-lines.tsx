import type { ReactElement, ReactNode } from "react";
import styles from "./versions.module.css";

/** A file's lines, with their numbers. */
export const CodeLines = ({ name, lines }: { name: string; lines: readonly ReactNode[] }): ReactElement => (
  <ol className={styles.code} aria-label={name} tabIndex={0}>
    {lines.map((line, at) => (
      // A line has no other identity than its number.
      <li key={at}>
        <code>{line}</code>
      </li>
    ))}
  </ol>
);
