import type { ReactElement, ReactNode } from "react";
import styles from "./table.module.css";

type Props = { heads: readonly string[]; caption?: string; children: ReactNode };

/** A list as a table. A head that ends with `#` is over figures, which stand at the right. */
export const Table = ({ heads, caption, children }: Props): ReactElement => (
  <table className={styles.table}>
    {caption !== undefined && <caption className="unseen">{caption}</caption>}
    <thead>
      <tr>
        {heads.map((head, at) => (
          <th key={head || at} scope="col" className={head.endsWith("#") ? styles.right : ""}>
            {head === "" ? <span className="unseen">Actions</span> : head.replace("#", "")}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

/** A figure in a table. */
export const Num = ({ children }: { children: ReactNode }): ReactElement => (
  <td className={`num ${styles.right}`}>{children}</td>
);
