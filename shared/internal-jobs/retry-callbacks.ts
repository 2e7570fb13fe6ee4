import { countPostponedMessages, hastenMessages } from "../store/outbox/hasten-messages.ts";
import type { InternalJob } from "./internal-job.ts";
import { repeatBatches } from "./repeat-batches.ts";

/** For when what kept callbacks from arriving was on our side: nobody needs to wait for hours then. */
export const retryCallbacks: InternalJob = {
  name: "retry-callbacks",
  summary: "Makes callbacks that wait for their next try due now. By itself each keeps to its schedule.",
  every_ms: null,
  async run({ db }, { dry_run, signal }) {
    if (dry_run) return { postponed: await countPostponedMessages(db) };
    return { hastened: await repeatBatches((batch) => hastenMessages(db, batch), { limit: 500, signal }) };
  },
};
