import { Link } from "@tanstack/react-router";
import { type ReactElement, useMemo, useState } from "react";
import type { Run } from "../../sdk/ts/index.ts";
import { isShared } from "../data/shared-link.ts";
import type { RunStream } from "../data/use-run-stream.ts";
import { Button } from "../ui/button.tsx";
import { formatMs } from "../ui/format.ts";
import { useNow } from "../ui/time.tsx";
import styles from "./run-view.module.css";
import { type Span, spansOf } from "./spans.ts";
import { makeTimeScale, type TimeScale } from "./time-scale.ts";

type Props = { run: Run; stream: RunStream };

/** A long run has thousands of spans; what a person reads are the first ones, and the failed ones. */
const firstSpans = 60;

/** What the run did, over its time: waits for a worker, attempts, and in each its steps, tools, calls and waits. */
export function Waterfall({ run, stream }: Props): ReactElement | null {
  const { events, count } = stream;
  const { started_at, queue_ms } = run;
  // The array grows in place: its length says whether there is more.
  const spans = useMemo(
    () => spansOf(events.slice(0, count), { started_at, queue_ms }),
    [events, count, started_at, queue_ms],
  );
  const [isAll, setAll] = useState(false);
  const [isFailedOnly, setFailedOnly] = useState(false);
  const now = useNow();
  if (spans.length === 0) return null;
  const end = run.completed_at === null ? now : new Date(run.completed_at).getTime();
  const scale = makeTimeScale(
    spans.flatMap((span) => [span.start, span.end ?? span.start, ...(span.end === null ? [end] : [])]),
  );
  const wanted = isFailedOnly ? spans.filter(({ isFailed, kind }) => isFailed || kind === "void") : spans;
  const shown = isAll ? wanted : wanted.slice(0, firstSpans);
  const hasFailed = spans.some(({ isFailed, kind }) => isFailed || kind === "void");
  return (
    <section aria-label="Timeline" className={styles.timeline}>
      <Axis scale={scale} spans={spans} end={end} />
      <ol>
        {shown.map((span) => (
          <Row key={`${span.eventId} ${span.key}`} span={span} scale={scale} end={end} runId={run.id} />
        ))}
      </ol>
      {(hasFailed || wanted.length > firstSpans) && (
        <p className={styles.more}>
          {hasFailed && (
            <Button look="quiet" aria-pressed={isFailedOnly} onClick={() => setFailedOnly(!isFailedOnly)}>
              {isFailedOnly ? "Show all" : "Show what failed only"}
            </Button>
          )}
          {wanted.length > firstSpans && (
            <Button look="quiet" onClick={() => setAll(!isAll)}>
              {isAll ? `Show the first ${firstSpans}` : `Show all ${wanted.length}`}
            </Button>
          )}
        </p>
      )}
    </section>
  );
}

/** The ticks of a scale without breaks; else where it is broken. */
function Axis({ scale, spans, end }: { scale: TimeScale; spans: Span[]; end: number }): ReactElement {
  const first = spans[0]?.start ?? end;
  const last = Math.max(end, ...spans.map((span) => span.end ?? span.start));
  if (scale.breaks.length > 0)
    return (
      <div className={styles.axis}>
        {scale.breaks.map(({ at, ms }) => (
          <span key={at} style={{ left: `${at * 100}%` }}>
            … {formatMs(ms)}
          </span>
        ))}
      </div>
    );
  return (
    <div className={styles.axis}>
      {[0, 0.25, 0.5, 0.75, 1].map((share) => (
        <span key={share} style={{ left: `${share * 100}%` }}>
          {share === 0 ? "0" : formatMs((last - first) * share)}
        </span>
      ))}
    </div>
  );
}

/** Where a run is shown. A shared one stays behind its link. */
const placeOf = (id: string) =>
  isShared
    ? ({ to: "/share/$id", params: { id }, hash: true } as const)
    : ({ to: "/runs/$id", params: { id } } as const);

type RowProps = { span: Span; scale: TimeScale; end: number; runId: string };

function Row({ span, scale, end, runId }: RowProps): ReactElement {
  const { kind, name, detail, isFailed, start, eventId } = span;
  const isPoint = kind === "artifact";
  const to = isPoint ? start : (span.end ?? end);
  const from = scale.at(start);
  const width = Math.max(0, scale.at(to) - from);
  const took = isPoint ? "" : formatMs(to - start);
  return (
    <li className={styles.span} data-kind={kind} data-failed={isFailed || undefined}>
      <Link {...placeOf(runId)} search={{ tab: "events", at: eventId }} className="clip">
        {name}
        {detail && <span className="dim"> {detail}</span>}
        {isFailed && <span className="bad"> failed</span>}
      </Link>
      <span className={styles.lane}>
        <i
          className={span.end === null ? "pulse" : ""}
          style={{ left: `${from * 100}%`, width: isPoint ? "5px" : `max(2px, ${width * 100}%)` }}
        />
      </span>
      <span className="num">{took}</span>
    </li>
  );
}
