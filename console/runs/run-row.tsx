import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { formatCost, formatCount, formatMs, shortId } from "../ui/format.ts";
import { InputPreview } from "../ui/input-preview.tsx";
import { Status } from "../ui/status.tsx";
import { Clock } from "../ui/time.tsx";
import { Took } from "../ui/took.tsx";
import type { ListedRun } from "./merge-changes.ts";
import styles from "./runs.module.css";

type Props = {
  run: ListedRun;
  index: number;
  top: number;
  isSelected: boolean;
  isPeeked: boolean;
  onToggle: () => void;
};

export function RunRow({ run, index, top, isSelected, isPeeked, onToggle }: Props): ReactElement {
  const { usage } = run;
  const tokens = usage?.input_tokens === undefined ? null : usage.input_tokens + (usage.output_tokens ?? 0);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      data-selected={isSelected || undefined}
      data-peeked={isPeeked || undefined}
      className={styles.row}
      style={{ position: "absolute", insetInline: 0, transform: `translateY(${top}px)` }}
    >
      <span role="cell">
        <input type="checkbox" aria-label={`Select ${run.id}`} checked={isSelected} onChange={onToggle} />
      </span>
      <span role="cell">
        <Status status={run.status} />
      </span>
      <span role="cell" className="clip">
        {run.agent_id} <span className={`num dim ${styles.version}`}>{run.version}</span>
      </span>
      <span role="cell" className="clip">
        <Link to="/runs/$id" params={{ id: run.id }} className="num" title={run.id} tabIndex={index === 0 ? 0 : -1}>
          <ShortId id={run.id} />
        </Link>
        {run.attempt > 1 && <span className="num dim"> ×{run.attempt}</span>}
      </span>
      <span role="cell" className="clip">
        <About run={run} />
      </span>
      <span role="cell" className="num">
        {formatMs(run.queue_ms)}
      </span>
      <span role="cell" className="num">
        <Took run={run} />
      </span>
      <span role="cell" className="num">
        {formatCount(tokens)}
      </span>
      <span role="cell" className="num">
        {formatCost(usage?.cost_usd)}
      </span>
      <span role="cell" className="dim">
        <Clock at={run.created_at} />
      </span>
    </div>
  );
}

/** Where the list is narrow, the end alone tells runs apart. */
function ShortId({ id }: { id: string }): ReactElement {
  const [head = "", tail] = shortId(id).split("…");
  if (tail === undefined) return <>{head}</>;
  return (
    <>
      <span className={styles.idHead}>{head}</span>…{tail}
    </>
  );
}

/** What the run is about: its error, its question, why it waits, or the first thing of its input. */
function About({ run }: { run: ListedRun }): ReactElement {
  const [question] = run.interrupts;
  if (run.error) return <span className="bad">{run.error.message}</span>;
  if (run.status === "interrupted" && question)
    return <span className="ask">asks: {question.message ?? question.reason}</span>;
  if (run.wait_reason) return <span className="dim">waits: {run.wait_reason.replaceAll("_", " ")}</span>;
  if (run.status === "running" && run.current_status) return <span className="dim">{run.current_status}</span>;
  return <InputPreview preview={run.input_preview} />;
}
