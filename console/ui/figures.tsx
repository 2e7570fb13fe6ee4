import type { ReactElement, ReactNode } from "react";
import styles from "./figures.module.css";

export type Figure = readonly [name: string, figure: ReactNode];

/** Figures side by side, each below its name. */
export const FigureRow = ({ figures }: { figures: readonly Figure[] }): ReactElement => (
  <dl className={styles.figures}>
    {figures.map(([name, figure]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{figure}</dd>
      </div>
    ))}
  </dl>
);
