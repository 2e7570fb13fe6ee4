import type { ReactElement, ReactNode } from "react";
import styles from "./key.module.css";

/** A key of the keyboard. */
export const Key = ({ children }: { children: ReactNode }): ReactElement => (
  <kbd className={styles.key}>{children}</kbd>
);

/** The key that is held with another one for what a program does. */
export const heldKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";
