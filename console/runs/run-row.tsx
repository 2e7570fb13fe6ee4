import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { formatCost, formatCount, formatMs, shortId } from "../ui/format.ts";
import { Status } from "../ui/status.tsx";
import { Clock, useNow } from "../ui/time.tsx";
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
        {run.agent_id} <span className="num dim">{run.version}</span>
      </span>
      <span role="cell" className="clip">
        <Link to="/runs/$id" params={{ id: run.id }} className="num" title={run.id} tabIndex={index === 0 ? 0 : -1}>
          {shortId(run.id)}
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

/** What the run is about: its error, its question, why it waits, or the first thing of its input. */
function About({ run }: { run: ListedRun }): ReactElement {
  const [question] = run.interrupts;
  if (run.error) return <span className="bad">{run.error.message}</span>;
  if (run.status === "interrupted" && question)
    return <span className="ask">asks: {question.message ?? question.reason}</span>;
  if (run.wait_reason) return <span className="dim">waits: {run.wait_reason.replaceAll("_", " ")}</span>;
  if (run.status === "running" && run.current_status) return <span className="dim">{run.current_status}</span>;
  const { name, value } = firstOf(run.input_preview);
  return (
    <>
      {name && <span className="dim">{name} </span>}
      <span className="num">{value}</span>
    </>
  );
}

/** Returns the first plain value of an input. A preview that was cut is no JSON, and is shown as it is. */
function firstOf(preview: string | null): { name?: string; value: string } {
  if (preview === null || preview === "{}") return { value: "" };
  try {
    const input = JSON.parse(preview) as Record<string, unknown>;
    const found = Object.entries(input).find(([, value]) => typeof value !== "object");
    if (found) return { name: found[0], value: String(found[1]) };
  } catch {
    // Cut.
  }
  return { value: preview };
}

/** A run that goes on counts. */
function Took({ run: { status, started_at, duration_ms } }: Pick<Props, "run">): ReactElement {
  if (status === "running" && started_at !== null) return <Running since={started_at} />;
  return <>{formatMs(duration_ms)}</>;
}

const Running = ({ since }: { since: string }): ReactElement => (
  <span className="dim">{formatMs(Math.max(0, useNow() - new Date(since).getTime()))}</span>
);
