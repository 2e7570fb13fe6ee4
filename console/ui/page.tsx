import type { ReactElement, ReactNode } from "react";
import styles from "./page.module.css";

type Props = { title: ReactNode; beside?: ReactNode; actions?: ReactNode; children: ReactNode };

/** A page: its title, what can be done on it, and what is on it, which scrolls. */
export const Page = ({ title, beside, actions, children }: Props): ReactElement => (
  <>
    <header className={styles.head}>
      <h1>{title}</h1>
      {beside}
      <span className={styles.actions}>{actions}</span>
    </header>
    <div className={styles.body}>{children}</div>
  </>
);

type SectionProps = { title: string; actions?: ReactNode; children: ReactNode };

export const Section = ({ title, actions, children }: SectionProps): ReactElement => (
  <section className={styles.section} aria-label={title}>
    <div>
      <h2>{title}</h2>
      {actions}
    </div>
    {children}
  </section>
);
