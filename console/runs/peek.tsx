import { Link } from "@tanstack/react-router";
import { type ReactElement, useMemo } from "react";
import { isEnd, type Run } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { useRecordOfEvents, useRun } from "../data/run-record.ts";
import { useRunStream } from "../data/use-run-stream.ts";
import { Output } from "../run-view/output.tsx";
import { Question } from "../run-view/question.tsx";
import { Waterfall } from "../run-view/waterfall.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { FigureRow } from "../ui/figures.tsx";
import { formatCost, formatMs, formatTokens, shortId } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Failure, Loaded } from "../ui/states.tsx";
import { Status } from "../ui/status.tsx";
import { Took } from "../ui/took.tsx";
import styles from "./runs.module.css";

type Props = { id: string; onClose: () => void };

/** A run beside the list: enough to tell whether it is the one that is looked for. */
export function Peek({ id, onClose }: Props): ReactElement {
  const query = useRun(id);
  return (
    <aside aria-label={`Run ${id}`} className={styles.peek}>
      <header>
        <h2 className="num" title={id}>
          {shortId(id)}
        </h2>
        {query.data && <Status status={query.data.status} />}
        <Link to="/runs/$id" params={{ id }} className={buttonClass()}>
          Open
        </Link>
        <Button look="quiet" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </header>
      <Loaded query={query}>{(run) => <RunPeek key={run.id} run={run} />}</Loaded>
    </aside>
  );
}

function RunPeek({ run }: { run: Run }): ReactElement {
  const handle = useMemo(() => client.attach(run.id), [run.id]);
  const stream = useRunStream(handle, run);
  useRecordOfEvents(run.id, stream);
  return (
    <>
      <p className={styles.what}>
        <Link to="/agents/$id" params={{ id: run.agent_id }}>
          {run.agent_id}
        </Link>{" "}
        <span className="num dim">{run.version}</span>
      </p>
      <FigureRow
        figures={[
          ["Queued", formatMs(run.queue_ms)],
          ["Took", <Took key="took" run={run} />],
          ["Tokens in / out", formatTokens(run.usage)],
          ["Cost", formatCost(run.usage?.cost_usd)],
        ]}
      />
      {stream.failure !== null && <Failure error={stream.failure} />}
      {run.interrupts.map((interrupt) => (
        <div key={interrupt.id} className={styles.asks}>
          <Question runId={run.id} interrupt={interrupt} />
        </div>
      ))}
      <Waterfall run={run} stream={stream} />
      {run.error && <p className={`bad ${styles.what}`}>{run.error.message.slice(0, 500)}</p>}
      <Output run={run} stream={stream} isLive={!stream.events.some(isEnd)} />
    </>
  );
}
