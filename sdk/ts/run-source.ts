import { placeEvent } from "./event-id.ts";
import type { RunEvent } from "./generated/types.ts";
import type { StreamSource } from "./read-stream.ts";
import { isEnd } from "./run-types.ts";

/**
 * What is the same of every stream of a run. An interrupted run's stream ends by a 204, since somebody may have answered it
 * already: then it goes on.
 */
export const runSource: Required<Pick<StreamSource<RunEvent>, "isEnd" | "place">> = {
  isEnd,
  place: (last, { event }) =>
    placeEvent(last, {
      type: event.type,
      attempt: event.attempt,
      seq: event.seq,
      follows: event.type === "run.started" ? event.follows : undefined,
    }),
};
