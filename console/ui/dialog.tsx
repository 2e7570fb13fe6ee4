import { type ReactElement, type ReactNode, useEffect, useRef } from "react";
import styles from "./dialog.module.css";

type Props = { title: string; look?: "titled" | "bare"; onClose: () => void; children: ReactNode };

/** Shows its children above the page, which waits. The browser keeps the focus inside and closes it by Escape. `bare`: its title is read aloud only. */
export function Dialog({ title, look = "titled", onClose, children }: Props): ReactElement {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current: dialog } = element;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={`${styles.dialog} ${styles[look]}`}
      aria-label={title}
      closedby={look === "bare" ? "any" : "closerequest"}
      onClose={onClose}
    >
      {look === "titled" && <h2>{title}</h2>}
      {children}
    </dialog>
  );
}

/** The buttons at the end of a dialog. */
export const DialogButtons = ({ children }: { children: ReactNode }): ReactElement => (
  <div className={styles.buttons}>{children}</div>
);
