import type { ReactElement } from "react";
import type { RunStatus } from "../../sdk/ts/index.ts";
import { Icon, type IconName } from "./icon.tsx";
import styles from "./status.module.css";

/** A status is told by its icon, its word and its colour. */
export function Status({ status }: { status: RunStatus }): ReactElement {
  return (
    <span className={`${styles.status} ${styles[status]}`}>
      <span className={status === "running" ? "pulse" : ""}>
        <Icon name={status satisfies IconName} size={14} />
      </span>
      {status}
    </span>
  );
}

/** The word alone, after a dot of the status' colour. */
export const Dot = ({ status }: { status: string }): ReactElement => (
  <i aria-hidden className={`${styles.dot} ${styles[status] ?? ""}`} />
);
