import type { ReactElement } from "react";
import type { Run, RunEvent } from "../../sdk/ts/index.ts";
import { spokenText } from "../../sdk/ts/transcript.ts";
import type { RunStream } from "../data/use-run-stream.ts";
import { formatCount } from "../ui/format.ts";
import { JsonTree } from "../ui/json-tree.tsx";
import { LongText } from "../ui/long-text.tsx";
import { Empty } from "../ui/states.tsx";
import { LoadingStream } from "./loading-stream.tsx";
import styles from "./run-view.module.css";

/** Of a run that puts out thousands of values the newest are shown; all of them are among its events. */
const mostValues = 200;

type Props = { run: Run; stream: RunStream; isLive: boolean };

/** What the run has said, as it stands. Text as text, anything else as JSON. */
export function Output({ run, stream, isLive }: Props): ReactElement | null {
  if (stream.isPending) return <LoadingStream stream={stream} what="Loading the output" />;
  // Why it can't be read is told beside it: what the run has said is not known.
  if (stream.failure !== null && stream.count === 0) return null;
  const data = stream.transcript.events.filter(isData);
  return (
    <div className={styles.said}>
      <Voids stream={stream} />
      {stream.text !== "" && (
        <LongText text={stream.text} className={styles.text}>
          {isLive && run.status === "running" && <i aria-hidden className={`${styles.caret} pulse`} />}
        </LongText>
      )}
      {data.length > mostValues && (
        <p className={`dim ${styles.text}`}>
          The first {formatCount(data.length - mostValues)} values are not shown: they are among the events.
        </p>
      )}
      {data.slice(-mostValues).map((event) => (
        <JsonTree key={`${event.attempt}-${event.seq}`} value={event.content} label="output" />
      ))}
      {stream.text === "" && data.length === 0 && <Nothing run={run} />}
    </div>
  );
}

const isData = (event: RunEvent): event is Extract<RunEvent, { type: "output.delta" }> =>
  event.type === "output.delta" && spokenText(event.content) === null;

function Nothing({ run }: { run: Run }): ReactElement {
  if (run.error)
    return (
      <Empty title={run.error.message.slice(0, 300)}>
        {run.error.traceback && <pre className={styles.traceback}>{run.error.traceback}</pre>}
      </Empty>
    );
  if (run.completed_at === null) return <NotYet run={run} />;
  if (run.result_content !== null) return <JsonTree value={run.result_content} label="result" />;
  return (
    <Empty title="This run has said nothing">
      <p>It ended as {run.status}.</p>
    </Empty>
  );
}

/** Output that doesn't count: an attempt that ended before its run, or a step that was tried again. And what was lost. */
function Voids({ stream }: { stream: RunStream }): ReactElement {
  const standing = new Set(stream.transcript.events);
  const withdrawn = new Map<number, string>();
  const gaps = stream.events.filter((event) => event.type === "gap");
  for (const event of stream.events)
    if (event.type === "output.delta" && !standing.has(event))
      withdrawn.set(event.attempt, (withdrawn.get(event.attempt) ?? "") + shownText(event));
  return (
    <>
      {[...withdrawn].map(([attempt, text]) => (
        <details key={attempt} className={styles.void}>
          <summary>
            Attempt {attempt}, void: {text.length} characters
          </summary>
          <LongText text={text} className={styles.text} />
        </details>
      ))}
      {gaps.map((gap) => (
        <p key={gap.seq} className={styles.gap}>
          Events {gap.from.attempt}-{gap.from.seq} to {gap.to.attempt}-{gap.to.seq} can't be read any more:{" "}
          {gap.reason.replaceAll("_", " ")}
        </p>
      ))}
    </>
  );
}

/** Returns an output as text; one that is no text as JSON, on a line of its own. */
function shownText(event: OutputEvent): string {
  const known = shownTexts.get(event);
  if (known !== undefined) return known;
  const text = spokenText(event.content) ?? `${JSON.stringify(event.content)}\n`;
  shownTexts.set(event, text);
  return text;
}

type OutputEvent = Extract<RunStream["events"][number], { type: "output.delta" }>;
/** A page is drawn many times while a run streams. */
const shownTexts = new WeakMap<OutputEvent, string>();

function NotYet({ run }: { run: Run }): ReactElement {
  const [title, text] = run.status === "interrupted" ? waitsForPerson : notYetOf(run);
  return (
    <Empty title={title}>
      <p>{text}</p>
    </Empty>
  );
}

const waitsForPerson = ["The run asks a person", "It goes on with the answer."] as const;

const notYetOf = ({ status, wait_reason }: Run): readonly [string, string] => [
  status === "running" ? "Nothing said yet" : `The run is ${status}`,
  wait_reason ? `It waits: ${wait_reason.replaceAll("_", " ")}.` : "Its output appears here as it comes.",
];
