import type { ReactElement } from "react";
import type { ErrorGroup } from "../../sdk/ts/index.ts";
import { formatTime } from "../ui/format.ts";
import styles from "./errors.module.css";

type Props = { group: Pick<ErrorGroup, "trend">; since: string; until: string };

/** How often an error came over the time that is shown. */
export function Trend({ group: { trend }, since, until }: Props): ReactElement {
  const most = Math.max(1, ...trend);
  const [start, end] = [new Date(since).getTime(), new Date(until).getTime()];
  const at = (part: number): string => formatTime(start + ((end - start) / trend.length) * part);
  const top = trend.indexOf(most);
  const title = top < 0 ? "none" : `at most ${most}, from ${at(top)} to ${at(top + 1)}`;
  return (
    <div role="img" aria-label={`Trend: ${title}`} title={title} className={styles.trend}>
      {trend.map((count, part) => (
        <i
          key={part}
          style={{ height: count === 0 ? 1 : `${Math.max(12, (count / most) * 100)}%` }}
          data-count={count}
        />
      ))}
    </div>
  );
}
