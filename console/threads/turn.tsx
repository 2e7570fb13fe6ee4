import { Link } from "@tanstack/react-router";
import { type ReactElement, type ReactNode, useMemo, useState } from "react";
import type { Run, RunListItem, ThreadMessage } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { useRecordOfEvents, useRun } from "../data/run-record.ts";
import { useRunStream } from "../data/use-run-stream.ts";
import { Output } from "../run-view/output.tsx";
import { Question } from "../run-view/question.tsx";
import { Waterfall } from "../run-view/waterfall.tsx";
import { formatMs, showValue } from "../ui/format.ts";
import { JsonTree } from "../ui/json-tree.tsx";
import { LongText } from "../ui/long-text.tsx";
import { Loaded } from "../ui/states.tsx";
import { Status } from "../ui/status.tsx";
import styles from "./threads.module.css";

/** `isFirst`: of the turns that have not ended. */
type Props = { run: RunListItem; said: string | undefined; isFirst: boolean; actions: ReactNode };

/** What was asked, and what the agent said. What it did is folded. */
export function Turn({ run, said, isFirst, actions }: Props): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const isLive = run.completed_at === null;
  // Each turn that waits behind another one would take one of the browser's few streams.
  const isRead = isFirst || run.status === "running" || run.status === "interrupted";
  return (
    <li className={styles.turn}>
      <div className={styles.asked}>
        <Asked input={run.input_payload} />
      </div>
      <div className={styles.answered}>
        {!isLive && <Said run={run} said={said} />}
        {isLive && (isRead ? <Live id={run.id} isWhole={false} /> : <p className="dim">Its answer appears here.</p>)}
        {!isLive && (
          <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
            <summary>What it did</summary>
            {isOpen && <Live id={run.id} isWhole />}
          </details>
        )}
      </div>
      <div className={styles.about}>
        <Status status={run.status} />
        <span className="num dim">{isLive ? "" : formatMs(run.duration_ms)}</span>
        <Link to="/runs/$id" params={{ id: run.id }} className="dim">
          Open the run
        </Link>
        {!isLive && actions}
      </div>
    </li>
  );
}

/** A message of the thread that this one was forked from. */
export const Copied = ({ message: { role, content, text } }: { message: ThreadMessage }): ReactElement => (
  <li className={styles.copied}>
    {role === "user" ? (
      <div className={styles.asked}>
        <Asked input={content} />
      </div>
    ) : (
      <LongText className={styles.text} text={text ?? showValue(content)} />
    )}
  </li>
);

/** The text of an input that has one text alone; else all of it. */
function Asked({ input }: { input: unknown }): ReactElement {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [input];
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? (
    <LongText text={only} />
  ) : (
    <JsonTree value={input} label="input" />
  );
}

function Said({ run, said }: { run: RunListItem; said: string | undefined }): ReactElement {
  if (run.error) return <p className="bad">{run.error.message}</p>;
  if (said) return <LongText className={styles.text} text={said} />;
  if (typeof run.result_content === "string") return <LongText className={styles.text} text={run.result_content} />;
  return <JsonTree value={run.result_content} label="result" />;
}

/** `isWhole`: with the timeline instead of what was said. */
function Live({ id, isWhole }: { id: string; isWhole: boolean }): ReactElement {
  const query = useRun(id);
  return <Loaded query={query}>{(run) => <LiveRun run={run} isWhole={isWhole} />}</Loaded>;
}

function LiveRun({ run, isWhole }: { run: Run; isWhole: boolean }): ReactElement {
  const handle = useMemo(() => client.attach(run.id), [run.id]);
  const stream = useRunStream(handle, run);
  useRecordOfEvents(run.id, stream);
  if (isWhole) return <Waterfall run={run} stream={stream} />;
  return (
    <>
      {(run.interrupts.length === 0 || stream.text !== "") && <Output run={run} stream={stream} isLive />}
      {run.interrupts.map((interrupt) => (
        <div key={interrupt.id} className={styles.question}>
          <Question runId={run.id} interrupt={interrupt} />
        </div>
      ))}
    </>
  );
}
