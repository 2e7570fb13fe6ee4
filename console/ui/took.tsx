import type { ReactElement } from "react";
import type { Run } from "../../sdk/ts/index.ts";
import { formatMs } from "./format.ts";
import { useNow } from "./time.tsx";

/** How long a run took. While it goes on, its time counts. */
export function Took({ run }: { run: Pick<Run, "status" | "started_at" | "duration_ms"> }): ReactElement {
  const { status, started_at, duration_ms } = run;
  return status === "running" && started_at !== null ? <Counts since={started_at} /> : <>{formatMs(duration_ms)}</>;
}

const Counts = ({ since }: { since: string }): ReactElement => (
  <span className="dim">{formatMs(Math.max(0, useNow() - new Date(since).getTime()))}</span>
);
