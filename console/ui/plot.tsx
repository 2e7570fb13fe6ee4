import type { ReactElement } from "react";
import styles from "./plot.module.css";

/** A line or a stack over the same times. `tone` names a colour of the tokens. */
export type Series = { name: string; tone: string; values: readonly (number | null)[] };

type Props = {
  title: string;
  /** What each point is of: a time, as text. */
  times: readonly string[];
  series: readonly Series[];
  kind: "lines" | "stack";
  format: (value: number) => string;
};

const height = 100;
const width = 400;

/** Figures over time. Readers of screens get the table below; others open it. */
export function Plot({ title, times, series, kind, format }: Props): ReactElement {
  const sums = times.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const all = kind === "stack" ? sums : series.flatMap(({ values }) => values.map((value) => value ?? 0));
  const most = Math.max(...all, 0);
  return (
    <figure className={styles.plot} aria-label={title}>
      <figcaption>
        <h2>{title}</h2>
        <ul>
          {series.map(({ name, tone }) => (
            <li key={name}>
              <i aria-hidden style={{ background: `var(--${tone})` }} />
              {name}
            </li>
          ))}
        </ul>
        <span className="num dim">{most === 0 ? "" : format(most)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden>
        <path d={`M0 ${height / 2}H${width}M0 ${height}H${width}`} className={styles.grid} />
        {kind === "stack" ? (
          <Stack times={times} series={series} most={most} />
        ) : (
          series.map((one) => (
            <path
              key={one.name}
              d={lineOf(one.values, most)}
              className={styles.line}
              style={{ stroke: `var(--${one.tone})` }}
            />
          ))
        )}
        {times.map((time, at) => (
          <rect
            key={time}
            x={(at / times.length) * width}
            y={0}
            width={width / times.length}
            height={height}
            className={styles.hit}
          >
            <title>
              {[time, ...series.map(({ name, values }) => `${name} ${show(values[at], format)}`)].join("\n")}
            </title>
          </rect>
        ))}
      </svg>
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time, at) => (
              <tr key={time}>
                <th scope="row">{time}</th>
                {series.map(({ name, values }) => (
                  <td key={name}>{show(values[at], format)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

const show = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? "–" : format(value);

/** A point alone is drawn as a line that is as short as can be seen. */
const pointWidth = 4;

/** A value that is missing breaks the line. */
function lineOf(values: readonly (number | null)[], most: number): string {
  const step = width / Math.max(1, values.length);
  return values
    .map((value, at) => {
      if (value === null) return "";
      const y = height - (most === 0 ? 0 : (value / most) * (height - 4));
      const isFirst = values[at - 1] === null || at === 0;
      const x = (at + 0.5) * step;
      const dot = isFirst && (values[at + 1] ?? null) === null ? `m${-pointWidth / 2} 0h${pointWidth}` : "";
      return `${isFirst ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}${dot}`;
    })
    .join("");
}

function Stack({ times, series, most }: Pick<Props, "times" | "series"> & { most: number }): ReactElement {
  const step = width / Math.max(1, times.length);
  return (
    <>
      {times.map((time, at) => {
        let top = height;
        return series.map(({ name, tone, values }) => {
          const tall = most === 0 ? 0 : ((values[at] ?? 0) / most) * (height - 2);
          top -= tall;
          return (
            <rect
              key={`${time} ${name}`}
              x={at * step + step * 0.1}
              y={top}
              width={step * 0.8}
              height={tall}
              style={{ fill: `var(--${tone})` }}
            />
          );
        });
      })}
    </>
  );
}
