import type { ReactElement } from "react";
import type { Run } from "../../sdk/ts/index.ts";
import type { RunStream } from "../data/use-run-stream.ts";
import { type Figure, FigureRow } from "../ui/figures.tsx";
import { formatBytes, formatCost, formatMs, formatTokens } from "../ui/format.ts";
import { Took } from "../ui/took.tsx";

/** What the run took. */
export function Figures({ run, stream }: { run: Run; stream: RunStream }): ReactElement {
  const { usage } = run;
  const figures: Figure[] = [
    ["Queued", formatMs(run.queue_ms)],
    ["To first output", formatMs(toFirstOutput(stream))],
    ["Took", <Took key="took" run={run} />],
    ["Tokens in / out", formatTokens(usage)],
    ["Cost", formatCost(usage?.cost_usd)],
    ["CPU", formatMs(usage?.cpu_ms)],
    ["Memory", formatBytes(usage?.max_rss_bytes)],
  ];
  return <FigureRow figures={figures} />;
}

/** From the start of the last attempt. */
function toFirstOutput({ events }: RunStream): number | null {
  const started = events.findLast(({ type }) => type === "run.started");
  const first = started && events.find(({ type, attempt }) => type === "output.delta" && attempt === started.attempt);
  return first && started ? new Date(first.ts).getTime() - new Date(started.ts).getTime() : null;
}
