import type { ButtonHTMLAttributes, ReactElement } from "react";
import styles from "./button.module.css";

type Props = ButtonHTMLAttributes<HTMLButtonElement> & { look?: "plain" | "primary" | "danger" | "quiet" };

/** `primary`: the one thing that a page is for. `danger`: it ends or deletes something. `quiet`: an icon alone. */
export const Button = ({ look = "plain", className = "", ...props }: Props): ReactElement => (
  <button type="button" {...props} className={`${buttonClass(look)} ${className}`} />
);

/** For links that look as buttons do. */
export const buttonClass = (look: "plain" | "primary" | "danger" | "quiet" = "plain"): string =>
  `${styles.button} ${styles[look] ?? ""}`;
