import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactElement, useEffect } from "react";
import { isEnd, type RunHandle } from "../../sdk/ts/index.ts";
import { renew } from "../data/client.ts";
import { useRecordOfEvents, useRun } from "../data/run-record.ts";
import { useRunStream } from "../data/use-run-stream.ts";
import { Output } from "../run-view/output.tsx";
import { Question } from "../run-view/question.tsx";
import { Waterfall } from "../run-view/waterfall.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { formatMs } from "../ui/format.ts";
import { JsonTree } from "../ui/json-tree.tsx";
import { Failure, Loading } from "../ui/states.tsx";
import { Status } from "../ui/status.tsx";
import styles from "./play.module.css";

/** A run that this page has started. */
export function PlayedRun({ run }: { run: RunHandle }): ReactElement {
  const { data, error } = useRun(run.id);
  const stream = useRunStream(run, data);
  useRecordOfEvents(run.id, stream);
  useEffect(() => {
    if (stream.lastMove !== null) void renew(["last-inputs"]);
  }, [stream.lastMove]);
  if (!data) {
    const failure = stream.failure ?? error;
    return failure === null ? <Loading what="Starting" /> : <Failure error={failure} />;
  }
  const isLive = data.completed_at === null && !stream.events.some(isEnd);
  return (
    <>
      <div className={styles.bar}>
        <Status status={data.status} />
        <span className="num dim">{data.completed_at === null ? "" : formatMs(data.duration_ms)}</span>
        <span className={styles.actions}>
          {isLive && <Cancel run={run} />}
          <Link to="/runs/$id" params={{ id: run.id }} className={buttonClass()}>
            Open the run
          </Link>
        </span>
      </div>
      {stream.failure !== null && <Failure error={stream.failure} />}
      {data.interrupts.map((interrupt) => (
        <div key={interrupt.id} className={styles.question}>
          <Question runId={run.id} interrupt={interrupt} />
        </div>
      ))}
      <Waterfall run={data} stream={stream} />
      <Output run={data} stream={stream} isLive={isLive} />
      {data.result_content !== null && stream.text !== "" && (
        <section aria-label="Result" className={styles.result}>
          <h2>Result</h2>
          <JsonTree value={data.result_content} label="result" />
        </section>
      )}
    </>
  );
}

function Cancel({ run }: { run: RunHandle }): ReactElement {
  const cancel = useMutation({ mutationFn: () => run.cancel() });
  return (
    <>
      {cancel.error && (
        <span role="alert" className="bad">
          {cancel.error.message}
        </span>
      )}
      <Button look="danger" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
        Cancel
      </Button>
    </>
  );
}
