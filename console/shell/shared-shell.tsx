import { Outlet } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { ConnectionLine } from "./connection-line.tsx";
import { ThemeButton } from "./header.tsx";
import { Mark } from "./mark.tsx";
import { usePageTitle } from "./page-title.tsx";
import styles from "./shell.module.css";

/** What is around a shared run: nobody is signed in, and there is nothing else to see. */
export function SharedShell(): ReactElement {
  usePageTitle();
  return (
    <div className={styles.shared}>
      <header className={styles.header}>
        <span className={styles.mark}>
          <Mark />
          Runfleet
        </span>
        <span className={`${styles.pulse} dim`}>A shared run, to be read only</span>
        <ThemeButton />
      </header>
      <main id="page" tabIndex={-1} className={styles.page}>
        <ConnectionLine />
        <Outlet />
      </main>
    </div>
  );
}
