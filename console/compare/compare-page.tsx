import { Link, useParams } from "@tanstack/react-router";
import { type ReactElement, useMemo } from "react";
import { isEnd, type Run } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { useRun } from "../data/run-record.ts";
import { useRunStream } from "../data/use-run-stream.ts";
import { Waterfall } from "../run-view/waterfall.tsx";
import { DiffLines } from "../ui/diff-lines.tsx";
import { formatCost, formatMs, formatTokens, shortId, showValue } from "../ui/format.ts";
import { Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Status } from "../ui/status.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Took } from "../ui/took.tsx";
import styles from "./compare.module.css";

/** Two runs side by side: what they were given, did, took and returned. */
export function ComparePage(): ReactElement {
  const { id, other } = useParams({ from: "/runs/$id/vs/$other" });
  const first = useRun(id);
  const second = useRun(other);
  return (
    <Page title="Two runs">
      <Loaded query={first}>
        {(one) => <Loaded query={second}>{(two) => <Compared one={one} two={two} />}</Loaded>}
      </Loaded>
    </Page>
  );
}

const Compared = ({ one, two }: { one: Run; two: Run }): ReactElement => (
  <>
    <Table
      heads={["Run", "Status", "Version", "Attempts#", "Queued#", "Took#", "Tokens in / out#", "Cost#"]}
      caption="Both runs"
    >
      {[one, two].map((run) => (
        <tr key={run.id}>
          <td>
            <Link to="/runs/$id" params={{ id: run.id }} className="num" title={run.id}>
              {shortId(run.id)}
            </Link>
          </td>
          <td>
            <Status status={run.status} />
          </td>
          <td>
            {run.agent_id} <span className="num dim">{run.version}</span>
          </td>
          <Num>{run.attempt}</Num>
          <Num>{formatMs(run.queue_ms)}</Num>
          <Num>
            <Took run={run} />
          </Num>
          <Num>{formatTokens(run.usage)}</Num>
          <Num>{formatCost(run.usage?.cost_usd)}</Num>
        </tr>
      ))}
    </Table>
    <div className={styles.timelines}>
      <Timeline run={one} />
      <Timeline run={two} />
    </div>
    <Section title="Input">
      <Difference name="input" before={one.input_payload} after={two.input_payload} />
    </Section>
    <Section title="Result">
      <Difference name="result" before={resultOf(one)} after={resultOf(two)} />
    </Section>
  </>
);

/** An error is its message and its traceback, line by line. */
const resultOf = ({ error, result_content }: Run): unknown =>
  error
    ? [`${error.code}: ${error.message}`, error.traceback].filter((part) => part !== null).join("\n\n")
    : result_content;

function Timeline({ run }: { run: Run }): ReactElement {
  const handle = useMemo(() => client.attach(run.id), [run.id]);
  const stream = useRunStream(handle, run);
  // Of a purged transcript the end stays.
  const isForgotten =
    run.attempt > 0 && stream.events.some(isEnd) && !stream.events.some(({ type }) => type === "run.started");
  return (
    <div>
      <h2 className="num">{shortId(run.id)}</h2>
      <Waterfall run={run} stream={stream} />
      {isForgotten && <p className={styles.same}>What it did is not kept any more.</p>}
    </div>
  );
}

function Difference({ name, before, after }: { name: string; before: unknown; after: unknown }): ReactElement {
  const [old, fresh] = [showValue(before), showValue(after)];
  return old === fresh ? (
    <p className={styles.same}>The same in both.</p>
  ) : (
    <DiffLines label={`Lines of the ${name}`} before={old} after={fresh} />
  );
}
