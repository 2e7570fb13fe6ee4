import type { ReactElement } from "react";
import { useLostConnection, useOnline } from "../data/connection.ts";
import { formatMs } from "../ui/format.ts";
import { useNow } from "../ui/time.tsx";
import styles from "./shell.module.css";

/** Says that what is shown may be old. Nothing else on the page changes. */
export function ConnectionLine(): ReactElement | null {
  const lostAt = useLostConnection();
  const isOnline = useOnline();
  const now = useNow();
  if (lostAt === null && isOnline) return null;
  const seconds = lostAt === null ? 0 : Math.floor((now - lostAt) / 1_000);
  const since = seconds < 1 ? "" : ` for ${formatMs(seconds * 1_000)}`;
  return (
    <p role="status" className={styles.connection}>
      {isOnline ? `Connection lost${since}, trying again.` : "This machine is offline. What is shown may be old."}
    </p>
  );
}
