import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import type { RunsSearch, SortKey } from "../data/runs-search.ts";
import { Icon } from "../ui/icon.tsx";
import type { ListedRun } from "./merge-changes.ts";
import { RunRow } from "./run-row.tsx";
import styles from "./runs.module.css";

type Props = {
  runs: ListedRun[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  /** The last row is near. */
  onEnd: () => void;
  hasMore: boolean;
  /** The run that is shown beside the list. */
  peek: string | undefined;
  onPeek: (id: string | undefined) => void;
};

const rowHeight = 32;
type Sort = Pick<RunsSearch, "order_by" | "order">;

/** `by`: what the list is sorted by with a click on the column's head; null: by age, the newest first. */
const heads: { name: string; by?: SortKey | null }[] = [
  ...["Status", "Agent", "Run", "Input", "Queued"].map((name) => ({ name })),
  { name: "Took", by: "duration_ms" },
  { name: "Tokens" },
  { name: "Cost", by: "cost_usd" },
  { name: "Created", by: null },
];

/** Only the rows that are seen are in the page. What is new waits while the list is read. */
export function RunTable(props: Props): ReactElement {
  const { runs, sort, onSort, selected, onSelect, onEnd, hasMore, peek, onPeek } = props;
  const box = useRef<HTMLDivElement>(null);
  const { rows, newer, showNewer, noteScroll } = useStandingRows(runs);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - 20) onEnd();
  }, [last, rows.length, onEnd]);
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const rowOf = (target: EventTarget): number =>
    Number((target as HTMLElement).closest<HTMLElement>("[data-row]")?.dataset["row"] ?? -1);
  const focusRow = (at: number): boolean => {
    const link = box.current?.querySelector<HTMLElement>(`[data-row="${at}"] a`);
    link?.focus();
    return link !== null;
  };
  const goTo = (at: number): void => {
    virtual.scrollToIndex(at);
    // A row that is far away is drawn with the next frame.
    if (!focusRow(at)) requestAnimationFrame(() => focusRow(at));
    if (peek !== undefined) onPeek(rows[at]?.id);
  };
  const press = (event: KeyboardEvent): void => {
    const at = rowOf(event.target);
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    const run = rows[at];
    const isBox = event.target instanceof HTMLInputElement;
    if (event.key === "x" && run) toggle(run.id);
    else if (event.key === "Escape" && peek !== undefined) onPeek(undefined);
    else if (event.key === " " && run && !isBox) onPeek(peek === run.id ? undefined : run.id);
    else if (step !== undefined && !isBox) goTo(Math.min(Math.max(at + step, 0), rows.length - 1));
    else return;
    event.preventDefault();
  };
  return (
    <div role="table" aria-label="Runs" aria-rowcount={hasMore ? -1 : rows.length + 1} className={styles.table}>
      <div role="row" className={`${styles.row} ${styles.titles}`}>
        <span role="columnheader">
          <input
            type="checkbox"
            aria-label="Select all runs that are shown"
            checked={rows.length > 0 && rows.every(({ id }) => selected.has(id))}
            onChange={({ target }) => onSelect(new Set(target.checked ? rows.map(({ id }) => id) : []))}
          />
        </span>
        {heads.map(({ name, by }) =>
          by === undefined ? (
            <span key={name} role="columnheader">
              {name}
            </span>
          ) : (
            <SortHead key={name} name={name} by={by} sort={sort} onSort={onSort} />
          ),
        )}
      </div>
      {newer > 0 && (
        <Button className={styles.newer ?? ""} onClick={() => (showNewer(), virtual.scrollToIndex(0))}>
          {newer} new
          <Icon name="up" size={13} />
        </Button>
      )}
      <div
        ref={box}
        role="rowgroup"
        className={styles.rows}
        tabIndex={0}
        aria-label="Rows"
        aria-keyshortcuts="j k x"
        onScroll={({ currentTarget }) => noteScroll(currentTarget.scrollTop)}
        onKeyDown={press}
        onClick={({ target }) => {
          const run = rows[rowOf(target)];
          if (run && !(target as HTMLElement).closest("a, input")) onPeek(run.id);
        }}
      >
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {items.map(({ index, start }) => {
            const run = rows[index];
            return (
              run && (
                <RunRow
                  key={run.id}
                  run={run}
                  index={index}
                  top={start}
                  isSelected={selected.has(run.id)}
                  isPeeked={run.id === peek}
                  onToggle={() => toggle(run.id)}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

type SortProps = { name: string; by: SortKey | null; sort: Sort; onSort: (sort: Sort) => void };

/** The head of a column by which the list can be sorted: the greatest first, and with another click the smallest. */
function SortHead({ name, by, sort, onSort }: SortProps): ReactElement {
  const isSorted = (sort.order_by ?? null) === by;
  const isRising = isSorted && sort.order === "asc";
  const next: Sort = { order_by: by ?? undefined, order: by !== null && isSorted && !isRising ? "asc" : undefined };
  const sorted = isRising ? "ascending" : "descending";
  return (
    <span role="columnheader" aria-sort={isSorted ? sorted : "none"}>
      <button type="button" onClick={() => onSort(next)}>
        {name}
        {isSorted && <Icon name={isRising ? "up" : "down"} size={11} />}
      </button>
    </span>
  );
}

type Standing = {
  rows: ListedRun[];
  /** How many runs came since the reader left the top. */
  newer: number;
  showNewer: () => void;
  noteScroll: (top: number) => void;
};

function useStandingRows(runs: ListedRun[]): Standing {
  const [first, setFirst] = useState<string | null>(null);
  const at = first === null ? 0 : runs.findIndex(({ id }) => id === first);
  const newer = Math.max(0, at);
  return {
    rows: newer === 0 ? runs : runs.slice(newer),
    newer,
    showNewer: () => setFirst(null),
    noteScroll(top) {
      if (top > 0 && first === null) setFirst(runs[0]?.id ?? null);
      if (top === 0 && newer === 0) setFirst(null);
    },
  };
}
