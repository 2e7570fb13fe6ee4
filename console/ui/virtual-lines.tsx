import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from "react";
import styles from "./virtual-lines.module.css";

type Props<T> = {
  label: string;
  lines: readonly T[];
  /** What tells lines apart. */
  keyOf: (line: T) => string;
  children: (line: T) => ReactNode;
  height?: number;
  /** True: stays at the end while lines come, until the reader scrolls up. */
  follows?: boolean;
  /** The line that is brought into view. */
  target?: string | undefined;
};

/** Any number of lines, of which only those that are seen are in the page. */
export function VirtualLines<T>({
  label,
  lines,
  keyOf,
  children,
  height = 24,
  follows,
  target,
}: Props<T>): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    getItemKey: (index) => {
      const line = lines[index];
      return line === undefined ? index : keyOf(line);
    },
    overscan: 10,
  });
  const isFollowing = follows === true && isAtEnd && target === undefined;
  useEffect(() => {
    if (isFollowing && lines.length > 0) virtual.scrollToIndex(lines.length - 1);
  }, [isFollowing, lines.length, virtual]);
  const at = target === undefined ? -1 : lines.findIndex((line) => keyOf(line) === target);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: "center" });
  }, [at, virtual]);
  return (
    <div
      ref={box}
      role="list"
      aria-label={label}
      className={styles.box}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
        setAtEnd(scrollHeight - scrollTop - clientHeight < height * 2)
      }
    >
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const line = lines[index];
          return (
            line !== undefined && (
              <div
                key={key}
                role="listitem"
                ref={virtual.measureElement}
                data-index={index}
                className={styles.line}
                style={{ transform: `translateY(${start}px)`, minHeight: height }}
              >
                {children(line)}
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}
