import type { StreamEvent } from "../../../shared/schemas/run-event.ts";
import type { RunEvent } from "../../../shared/schemas/run-event.ts";
import { logFault } from "../../http/error-handler.ts";
import type { AnyResult } from "../../http/define-operation.ts";
import { cut } from "../../http/until-gone.ts";
import type { FollowedRun } from "../../stream/respond-run.ts";
import { followRun } from "../../stream/follow-run.ts";
import { respondSse, type RespondDeps } from "../../stream/respond-sse.ts";
import { startPings } from "../../stream/sse-ping.ts";
import { beforeFirst } from "../../../shared/domain/run/event-id.ts";
import { type Ending, projectRun, type ProjectedRun, type RunView } from "./run-stream.ts";

/** An answer that writes the response itself. */
type TakeoverResult = Extract<AnyResult, { respond: unknown }>;

/** Where a run is, without the prefix: the client puts it behind its own base address. */
export const locationOf = (run_id: string, thread_id: string | null): string =>
  `${thread_id === null ? "" : `/threads/${thread_id}`}/runs/${run_id}`;

/** Returns an answer that is the stream of a run. The client resumes a cut stream at the `Location`, so its modes stand there. */
export function streamRun(deps: RespondDeps, run: FollowedRun, view: RunView): TakeoverResult {
  const location = locationOf(run.run_id, run.thread_id);
  const modes = encodeURIComponent(JSON.stringify([...view.modes]));
  return {
    respond: (_req, res) =>
      respondSse(deps, res, {
        ...run,
        first: run.queued,
        projection: { headers: {}, plain: false, breaksOff: true, start: () => projectRun(view) },
        headers: { "Content-Location": location, Location: `${location}/stream?stream_mode=${modes}` },
      }),
  };
}

/** A newline before the JSON keeps the connection alive through proxies. */
const keepAlive = "\n";

/** Returns an answer that is JSON, once the run has ended or asks. The same events give the same values as a stream's. */
export function waitForRun(
  deps: RespondDeps,
  run: FollowedRun,
  view: Omit<RunView, "modes">,
  toBody: (ended: { values: Ending; ending: Ending }) => Ending,
): TakeoverResult {
  return {
    respond(_req, res) {
      res.set({ "Content-Type": "application/json", "Content-Location": locationOf(run.run_id, run.thread_id) });
      res.flushHeaders();
      const stopPings = startPings(res, keepAlive);
      awaitRun(deps, res, run, { ...view, modes: new Set() })
        .then((machine) => {
          stopPings();
          const ending = machine.ending();
          // This process shuts down. A clean end would be an answer.
          if (ending === null) cut(res);
          else res.end(JSON.stringify(toBody({ values: machine.values(), ending })));
        })
        .catch((error: unknown) => {
          logFault(deps.log, error, res);
          cut(res);
        });
    },
  };
}

type Answer = { destroyed: boolean; on(event: "close", act: () => void): unknown };

/** Resolves with all that a run did, when it has ended or asks, or when the tail ends. */
function awaitRun(deps: RespondDeps, res: Answer, run: FollowedRun, view: RunView): Promise<ProjectedRun> {
  const { run_id, tail, queued } = run;
  const machine = projectRun(view);
  if (res.destroyed) tail.close();
  else res.on("close", () => tail.close());
  const take = (events: StreamEvent[]): undefined => {
    // Our own events, which were checked when they were written.
    for (const { data } of events) machine.push(JSON.parse(data) as RunEvent);
  };
  if (queued) take([queued]);
  return new Promise((resolve, reject) => {
    const end = (events: StreamEvent[]): void => {
      take(events);
      resolve(machine);
    };
    followRun(deps, run_id, tail, {
      cursor: queued ?? beforeFirst,
      fresh: queued !== null,
      reader: { take, end, fail: reject },
    });
  });
}
