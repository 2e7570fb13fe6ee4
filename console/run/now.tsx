import type { ReactElement } from "react";
import type { Run, RunEvent } from "../../sdk/ts/index.ts";
import { isShared } from "../data/shared-link.ts";
import type { RunStream } from "../data/use-run-stream.ts";
import { Ago } from "../ui/time.tsx";
import { Question } from "../run-view/question.tsx";
import styles from "./run.module.css";

/** What the run does at this moment, and what it waits for. */
export function Now({ run, stream }: { run: Run; stream: RunStream }): ReactElement {
  const progress = stream.transcript.events.findLast(
    (event): event is Extract<RunEvent, { type: "progress" }> => event.type === "progress",
  );
  return (
    <aside className={styles.now} aria-label="Now">
      {run.interrupts.map((interrupt) =>
        isShared ? (
          <div key={interrupt.id} className={styles.asked}>
            <h2>It asks a person</h2>
            <p>{interrupt.message ?? interrupt.reason}</p>
          </div>
        ) : (
          <Question key={interrupt.id} runId={run.id} interrupt={interrupt} />
        ),
      )}
      {progress && run.completed_at === null && (
        <>
          <h2>Now</h2>
          <p>{progress.message ?? "Working"}</p>
          {progress.value !== null && <progress max={1} value={progress.value} aria-label="Progress" />}
        </>
      )}
      {run.scheduled_at !== null && run.completed_at === null && (
        <p>
          {run.wait_reason === "retry" ? "Tried again" : "Starts"} <Ago at={run.scheduled_at} />
        </p>
      )}
      {run.wait_reason && <p className="dim">Waits: {run.wait_reason.replaceAll("_", " ")}</p>}
      {run.error && (
        <>
          <h2>Error</h2>
          <p className="bad">{run.error.message.slice(0, 500)}</p>
          <p className="num dim">{run.error.code}</p>
        </>
      )}
      <dl>
        <Fact name="Worker" value={run.worker_id} />
        <Fact name="Sandbox" value={run.sandbox && `${run.sandbox.level} ${run.sandbox.name}`} />
        <Fact name="Started by" value={run.origin} />
        <Fact name="Thread" value={run.thread_id} />
        <Fact name="Tags" value={run.tags.join(", ") || null} />
        <Fact name="Mode" value={`${run.runtime_mode}, ${run.lifecycle}`} />
      </dl>
    </aside>
  );
}

const Fact = ({ name, value }: { name: string; value: string | null }): ReactElement | null =>
  value === null ? null : (
    <div>
      <dt>{name}</dt>
      <dd className="clip" title={value}>
        {value}
      </dd>
    </div>
  );
