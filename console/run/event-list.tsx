import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { RunEvent } from "../../sdk/ts/index.ts";
import type { RunStream } from "../data/use-run-stream.ts";
import { LoadingStream } from "../run-view/loading-stream.tsx";
import { JsonTree } from "../ui/json-tree.tsx";
import { Empty } from "../ui/states.tsx";
import { Clock } from "../ui/time.tsx";
import { VirtualLines } from "../ui/virtual-lines.tsx";
import styles from "./run.module.css";

const idOf = ({ attempt, seq }: RunEvent): string => `${attempt}-${seq}`;

/** Every event of the run, void ones too. Which types are shown, and which event is open, is in the address. */
export function EventList({ stream }: { stream: RunStream }): ReactElement | null {
  const { at, types } = useSearch({ strict: false });
  const navigate = useNavigate();
  const go = (change: { at?: string | undefined; types?: string[] | undefined }): void =>
    void navigate({ to: ".", search: { tab: "events", at, types, ...change }, hash: true, replace: true });
  const known = [...new Set(stream.events.map(({ type }) => type))];
  const shown = types ? stream.events.filter(({ type }) => types.includes(type)) : stream.events.slice(0, stream.count);
  const open = at === undefined ? undefined : stream.events.find((event) => idOf(event) === at);
  const toggle = (type: string): void => {
    const chosen = types ?? known;
    const next = chosen.includes(type) ? chosen.filter((one) => one !== type) : [...chosen, type];
    go({ types: next.length === known.length ? undefined : next });
  };
  if (stream.isPending) return <LoadingStream stream={stream} what="Loading events" />;
  if (stream.failure !== null && stream.count === 0) return null;
  if (stream.count === 0)
    return (
      <Empty title="No events">
        <p>Each thing that the run does is an event. Those of an old run are deleted before the run is.</p>
      </Empty>
    );
  return (
    <div className={styles.events}>
      <fieldset className={styles.types}>
        <legend className="unseen">Types of events</legend>
        {known.map((type) => (
          <span key={type}>
            <label>
              <input type="checkbox" checked={types?.includes(type) ?? true} onChange={() => toggle(type)} />
              {type}
            </label>
            <button type="button" onClick={() => go({ types: [type] })} aria-label={`Only ${type}`}>
              only
            </button>
          </span>
        ))}
        {types && (
          <button type="button" onClick={() => go({ types: undefined })}>
            Show all types
          </button>
        )}
      </fieldset>
      <VirtualLines label="Events" lines={shown} keyOf={idOf} follows target={at}>
        {(event) => (
          <button
            type="button"
            className={styles.event}
            aria-pressed={idOf(event) === at}
            onClick={() => go({ at: idOf(event) === at ? undefined : idOf(event) })}
          >
            <span className="num dim">{idOf(event)}</span>
            <span className="dim">
              <Clock at={event.ts} isExact />
            </span>
            <span>{event.type}</span>
            <span className="num dim clip">{summaryOf(event)}</span>
          </button>
        )}
      </VirtualLines>
      {open && (
        <aside aria-label={`Event ${idOf(open)}`} className={styles.open}>
          <JsonTree value={open} label="event" />
        </aside>
      )}
    </div>
  );
}

/** What an event says, without what every event has. */
function summaryOf({ type: _type, run_id: _run, attempt: _attempt, seq: _seq, ts: _ts, ...rest }: RunEvent): string {
  const text = JSON.stringify(rest);
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}
