import type { ReactElement } from "react";
import type { Run } from "../../sdk/ts/index.ts";
import { formatBytes } from "../ui/format.ts";
import { JsonTree } from "../ui/json-tree.tsx";
import { Empty } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import styles from "./run.module.css";

/** What the run was given, or what it returned. */
export const Values = ({ run, part }: { run: Run; part: "input" | "result" }): ReactElement =>
  part === "input" ? <Input run={run} /> : <Result run={run} />;

const Input = ({ run }: { run: Run }): ReactElement => (
  <>
    <JsonTree value={run.input_payload} label="input" />
    {run.files.length > 0 && (
      <Table heads={["File", "Size"]}>
        {run.files.map(({ name, size }) => (
          <tr key={name}>
            <td className="num">{name}</td>
            <td className="num">{formatBytes(size)}</td>
          </tr>
        ))}
      </Table>
    )}
    {run.env_names.length > 0 && (
      <p className={styles.note}>
        Environment: <span className="num">{run.env_names.join(", ")}</span>
      </p>
    )}
  </>
);

function Result({ run }: { run: Run }): ReactElement {
  if (run.error)
    return (
      <div className={styles.error}>
        <h2 className="bad">
          {run.error.type && `${run.error.type}: `}
          {run.error.message}
        </h2>
        <p className="num dim">{run.error.code}</p>
        {run.error.traceback && <pre className={styles.traceback}>{run.error.traceback}</pre>}
      </div>
    );
  if (run.completed_at === null)
    return (
      <Empty title="No result yet">
        <p>It is there when the run has ended.</p>
      </Empty>
    );
  return <JsonTree value={run.result_content} label="result" />;
}
