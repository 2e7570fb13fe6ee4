import { type ReactElement, useState } from "react";
import type { RunEvent } from "../../sdk/ts/index.ts";
import type { RunStream } from "../data/use-run-stream.ts";
import { LoadingStream } from "../run-view/loading-stream.tsx";
import { formatCount } from "../ui/format.ts";
import { Empty } from "../ui/states.tsx";
import { Clock } from "../ui/time.tsx";
import { VirtualLines } from "../ui/virtual-lines.tsx";
import styles from "./run.module.css";

type LogEvent = Extract<RunEvent, { type: "log" }>;

/** The lines that the run has logged, and what it wrote to stderr. */
export function LogLines({ stream }: { stream: RunStream }): ReactElement | null {
  const [text, setText] = useState("");
  const [level, setLevel] = useState("");
  const all = stream.events.filter((event): event is LogEvent => event.type === "log");
  const levels = [...new Set(all.map((line) => line.level))];
  const wanted = text.toLowerCase();
  const lines = all.filter(
    (line) => (level === "" || line.level === level) && line.message.toLowerCase().includes(wanted),
  );
  if (stream.isPending) return <LoadingStream stream={stream} what="Loading the log" />;
  if (stream.failure !== null && stream.count === 0) return null;
  if (all.length === 0)
    return (
      <Empty title="No log lines">
        <p>What the agent logs or writes to stderr appears here.</p>
      </Empty>
    );
  return (
    <div className={styles.log}>
      <div className={styles.tools}>
        <input
          type="search"
          aria-label="Search the log"
          placeholder="Search"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <select aria-label="Level" value={level} onChange={({ target }) => setLevel(target.value)}>
          <option value="">any level</option>
          {levels.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <span className="dim">
          <span className="num">{formatCount(lines.length)}</span> {lines.length === 1 ? "line" : "lines"}
        </span>
      </div>
      <VirtualLines
        label="Log lines"
        lines={lines}
        keyOf={({ attempt, seq }) => `${attempt}-${seq}`}
        height={20}
        follows
      >
        {(line) => (
          <div className={styles.logLine} data-level={line.level}>
            <span className="dim">
              <Clock at={line.ts} isExact />
            </span>
            <span className={styles.level}>{line.stream === "stderr" ? "stderr" : line.level}</span>
            <span>{line.message}</span>
          </div>
        )}
      </VirtualLines>
    </div>
  );
}
