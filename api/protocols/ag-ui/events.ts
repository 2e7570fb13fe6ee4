import { compareEventIds, type EventId } from "../../../shared/domain/run/event-id.ts";
import { encodeMessage } from "../../stream/encode-sse.ts";
import { type AgUiIds, startAgUi } from "../../stream/projections/ag-ui.ts";
import type { Machine, Projection } from "../../stream/projections/projection.ts";
import { skipRepeats } from "../../stream/projections/skip-repeats.ts";

/**
 * A run after `cursor`, with the client's own ids. `before`: the conversation before the run, for a client that has read a part
 * of the run already; the client's list of messages is set to it. Null: the client has read nothing.
 */
export const agUiRun = (ids: AgUiIds, cursor: EventId, before: object[] | null): Projection => ({
  headers: {},
  plain: false,
  start() {
    const machine = skipRepeats(startAgUi(ids));
    return before === null ? leaving(machine) : leaving(afterSnapshot(machine, cursor, before));
  },
});

/** Sets the client's messages behind the first event, which is RUN_STARTED. */
function afterSnapshot(machine: Machine, cursor: EventId, messages: object[]): Machine {
  let isSet = false;
  return {
    ...machine,
    push(event) {
      const [first, ...rest] = machine.push(event);
      if (isSet || first === undefined || compareEventIds(event, cursor) <= 0)
        return first === undefined ? [] : [first, ...rest];
      isSet = true;
      return [first, encodeMessage({ type: "MESSAGES_SNAPSHOT", messages }), ...rest];
    },
  };
}

/** The client takes a clean end for the end of the run, and a cut ends a plain Node process. */
const leaving = (machine: Machine): Machine => ({
  ...machine,
  leave: () => [
    encodeMessage({
      type: "RUN_ERROR",
      code: "leaving",
      message: "The connection ended because the service restarts. The run goes on.",
    }),
  ],
});
