import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type ReactElement, useMemo } from "react";
import { isEnd, type Run } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { useRecordOfEvents, useRun } from "../data/run-record.ts";
import { isShared } from "../data/shared-link.ts";
import { type RunStream, useRunStream } from "../data/use-run-stream.ts";
import { Failure, Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Artifacts } from "./artifacts.tsx";
import { Attempts } from "./attempts.tsx";
import { Callbacks } from "./callbacks.tsx";
import { EventList } from "./event-list.tsx";
import { Figures } from "./figures.tsx";
import { LogLines } from "./log-lines.tsx";
import { Now } from "./now.tsx";
import { Output } from "../run-view/output.tsx";
import { RunHead } from "./run-head.tsx";
import styles from "./run.module.css";
import { Values } from "./values.tsx";
import { Waterfall } from "../run-view/waterfall.tsx";

/** One run: what it is, what it did and when, what it said. */
export function RunPage(): ReactElement {
  const { id } = useParams({ from: "/runs/$id" });
  const query = useRun(id);
  return <Loaded query={query}>{(run) => <RunView key={run.id} run={run} />}</Loaded>;
}

export function RunView({ run }: { run: Run }): ReactElement {
  const handle = useMemo(() => client.attach(run.id), [run.id]);
  const stream = useRunStream(handle, run);
  useRecordOfEvents(run.id, stream);
  return (
    <div className={styles.run}>
      <RunHead run={run} />
      <Figures run={run} stream={stream} />
      {stream.failure !== null && <Failure error={stream.failure} />}
      <Waterfall run={run} stream={stream} />
      <RunTabs run={run} stream={stream} />
    </div>
  );
}

type TabProps = { run: Run; stream: RunStream };

function RunTabs({ run, stream }: TabProps): ReactElement {
  const { tab: asked } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { events } = stream;
  const count = (type: string): number => events.reduce((sum, event) => sum + (event.type === type ? 1 : 0), 0);
  const tabs = [
    { id: "output", name: "Output" },
    { id: "events", name: "Events", count: stream.count },
    { id: "log", name: "Log", count: count("log") },
    { id: "input", name: "Input" },
    { id: "result", name: run.error ? "Error" : "Result" },
    { id: "artifacts", name: "Artifacts", count: count("artifact") },
    { id: "attempts", name: "Attempts", count: run.attempt },
    // Where the result was sent to is no part of what is shared.
    ...(isShared ? [] : [{ id: "callbacks", name: "Callback" }]),
  ];
  const tab = tabs.find(({ id }) => id === asked)?.id ?? "output";
  return (
    <Tabs
      label="Parts of the run"
      tabs={tabs}
      chosen={tab}
      onChoose={(next) => void navigate({ to: ".", search: { tab: next }, hash: true, replace: true })}
    >
      <TabPart tab={tab} run={run} stream={stream} />
    </Tabs>
  );
}

function TabPart({ tab, run, stream }: TabProps & { tab: string }): ReactElement {
  switch (tab) {
    case "events":
      return <EventList stream={stream} />;
    case "log":
      return <LogLines stream={stream} />;
    case "input":
      return <Values run={run} part="input" />;
    case "result":
      return <Values run={run} part="result" />;
    case "artifacts":
      return <Artifacts run={run} count={stream.events.filter(({ type }) => type === "artifact").length} />;
    case "attempts":
      return <Attempts run={run} />;
    case "callbacks":
      return <Callbacks run={run} />;
    default:
      return (
        <div className={styles.output}>
          <Output run={run} stream={stream} isLive={!stream.events.some(isEnd)} />
          <Now run={run} stream={stream} />
        </div>
      );
  }
}
